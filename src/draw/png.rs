//! A drawing as PNG, with letters of our own: DejaVu, reduced to the characters of Latin scripts.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

const FONTS: [&[u8]; 6] = [
    include_bytes!("fonts/DejaVuSansCondensed.ttf"),
    include_bytes!("fonts/DejaVuSansCondensed-Bold.ttf"),
    include_bytes!("fonts/DejaVuSerifCondensed.ttf"),
    include_bytes!("fonts/DejaVuSerifCondensed-Bold.ttf"),
    include_bytes!("fonts/DejaVuSerifCondensed-Italic.ttf"),
    include_bytes!("fonts/DejaVuSerifCondensed-BoldItalic.ttf"),
];

/// Renders an SVG; its longer side gets so many pixels.
pub fn png(svg: &str, longest: u16) -> Result<Vec<u8>, String> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    for font in FONTS {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_serif_family("DejaVu Serif");
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size();
    let scale = f32::from(longest) / size.width().max(size.height());
    let pixels = size.to_int_size().scale_by(scale).ok_or("a drawing of no size")?;
    let mut pixmap = Pixmap::new(pixels.width(), pixels.height()).ok_or("a drawing too large")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    encoded(&pixmap).map_err(|error| error.to_string())
}

/// A map is opaque, and most of it of one tint: three bytes a pixel and rows as they are pack better than any filter, in a
/// third of the time that the renderer's own settings take.
fn encoded(pixmap: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_deflate_compression(png::DeflateCompression::Level(3));
    let colours = pixmap.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
    encoder.write_header()?.write_image_data(&colours.collect::<Vec<u8>>())?;
    Ok(bytes)
}

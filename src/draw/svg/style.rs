//! Colours, letters and definitions that all drawings share.

/// The style of a map. Only plain selectors, so that every renderer understands it.
pub const STYLE: &str = ".paper{fill:#fbf7ea}\
.title{font:700 34px 'DejaVu Serif Condensed',Georgia,serif;fill:#2b2016}\
.moment{font:400 19px 'DejaVu Serif Condensed',Georgia,serif;fill:#5b4a36}\
.board-name{font:700 26px 'DejaVu Serif Condensed',Georgia,serif;fill:#2b2016}\
.sea{fill:#cfe4ee}.shoal{fill:none;stroke:#bfd9e6;stroke-width:34;stroke-linejoin:round}\
.shoal2{fill:none;stroke:#add0e0;stroke-width:15;stroke-linejoin:round}\
.land{fill:#f1e8cb}.coast{fill:none;stroke:#4f7f99;stroke-width:3;stroke-linejoin:round}\
.level1{fill:#dcc08c;fill-opacity:.75}.level2{fill:#c9a066;fill-opacity:.8}.level3{fill:#b58850;fill-opacity:.8}\
.contour{fill:none;stroke:#a8814a;stroke-width:2}\
.jungle{fill:#b9d19b;fill-opacity:.88}.woods{fill:#c3d8a6;fill-opacity:.88}.hill{fill:#dfc394}.swamp{fill:#cfdcb6}\
.beach{fill:#f7e6ae}.village{fill:#ecdcc0}.town{fill:#e6d0b4}.city{fill:#d9bfa9}.lake{fill:#cfe4ee}.harbour{fill:#cfe4ee}\
.tree{fill:none;stroke:#5f8a4a;stroke-width:2.2;stroke-linecap:round}\
.hachure{fill:none;stroke:#9a743d;stroke-width:2;stroke-linecap:round}\
.reed{fill:none;stroke:#4d8196;stroke-width:2;stroke-linecap:round}\
.sand{fill:none;stroke:#b08d45;stroke-width:3.4;stroke-linecap:round}\
.wave{fill:none;stroke:#9cc3d6;stroke-width:2;stroke-linecap:round}\
.house{fill:#7d4a3a}\
.river-bank{fill:none;stroke:#2f6385;stroke-width:10;stroke-linecap:round}\
.river{fill:none;stroke:#6ea9cc;stroke-width:6.5;stroke-linecap:round}\
.stream{fill:none;stroke:#4f8fb5;stroke-width:4;stroke-linecap:round;stroke-dasharray:12 7}\
.slope{fill:none;stroke:#8a5f2c;stroke-width:2.6}.cliff{fill:none;stroke:#5b3b17;stroke-width:5}\
.trench{fill:none;stroke:#4a2f16;stroke-width:4}\
.road-edge{fill:none;stroke:#7a4b28;stroke-width:8;stroke-linejoin:round}.road{fill:none;stroke:#fdf3cf;stroke-width:4.4;stroke-linejoin:round}\
.trail{fill:none;stroke:#7a4b28;stroke-width:3.4;stroke-dasharray:9 6}\
.rail{fill:none;stroke:#33302c;stroke-width:3}.ties{fill:none;stroke:#33302c;stroke-width:10;stroke-dasharray:2.4 9}\
.pier{fill:none;stroke:#6d5334;stroke-width:7}\
.bridge-edge{stroke:#2b2016;stroke-width:17}.bridge{stroke:#fffaf0;stroke-width:11}.ford{stroke:#fffaf0;stroke-width:7;stroke-dasharray:4 4}\
.work{fill:#fffaf0;stroke:#2b2016;stroke-width:2.4;stroke-linejoin:round}.dug{fill:none;stroke:#5a3d1e;stroke-width:4;stroke-dasharray:9 4}\
.cells{fill:#fff;fill-opacity:0;stroke:#3d3426;stroke-opacity:.34;stroke-width:1.4}\
.numbers{font:400 12px 'DejaVu Sans Condensed','Arial Narrow',Arial,sans-serif;fill:#6b5c45;text-anchor:middle}\
.names{font:italic 700 15.5px 'DejaVu Serif Condensed',Georgia,serif;fill:#241a10;text-anchor:middle;stroke:#fbf7ea;stroke-width:4;stroke-opacity:.9;paint-order:stroke;stroke-linejoin:round}\
.water-name{font:italic 400 15px 'DejaVu Serif Condensed',Georgia,serif;fill:#1f4f70;stroke:#eef5f5;stroke-width:3;paint-order:stroke;text-anchor:middle}\
.way-name{font:400 12px 'DejaVu Sans Condensed','Arial Narrow',Arial,sans-serif;fill:#6a3f1f;stroke:#fbf7ea;stroke-width:3;paint-order:stroke;text-anchor:middle}\
.goal{fill:#c1272d;stroke:#fffaf0;stroke-width:1.6}.flag{stroke:#2b2016;stroke-width:1.6}\
.box{fill:#f3ead2;stroke:#b7a57f;stroke-width:2}.box-name{font:700 17px 'DejaVu Serif Condensed',Georgia,serif;fill:#2b2016}\
.key{font:400 15px 'DejaVu Sans Condensed','Arial Narrow',Arial,sans-serif;fill:#2b2016}\
.c text{text-anchor:middle;font-family:'DejaVu Sans Condensed','Arial Narrow',Arial,sans-serif;font-weight:700;stroke:none}\
.c .l{font-size:11px}.c .l.t{font-size:9px}.c .v{font-size:15px}.c .v.t{font-size:12.5px}.c .q{font-size:28px}.c .m{font-size:10px;fill:#fff}\
.navy{fill:#23406e;stroke:#0d1c38}.gold{fill:#f2cf5b;stroke:#6b4d07}.clay{fill:#b5573c;stroke:#4c1d10}.grey{fill:#d8d8d4;stroke:#555}\
.navy-i{fill:#fff;stroke:#fff}.gold-i{fill:#221800;stroke:#221800}.clay-i{fill:#fff;stroke:#fff}.grey-i{fill:#222;stroke:#222}\
.s{fill:none;stroke-width:2}.f{stroke:none}\
.bad{fill:#b3161c;stroke:#fff;stroke-width:1}.ok{fill:#3f5f3a;stroke:#fff;stroke-width:1}\
.reach{fill:#f5b700;fill-opacity:.34;stroke:#a86b00;stroke-width:3}.area{fill:#3a7d44;fill-opacity:.22;stroke:#2c5f34;stroke-width:3}\
.cost{font:700 17px 'DejaVu Sans Condensed','Arial Narrow',Arial,sans-serif;fill:#5c2f00;text-anchor:middle;stroke:#fff7da;stroke-width:4;paint-order:stroke}\
.supply-edge{fill:none;stroke:#fff;stroke-width:9;stroke-opacity:.75;stroke-linecap:round;stroke-linejoin:round}.supply{fill:none;stroke:#1f6b2d;stroke-width:5;stroke-linecap:round;stroke-linejoin:round;stroke-dasharray:1 9}\
.sight{fill:none;stroke:#7b2cbf;stroke-width:5;stroke-dasharray:14 8}\
.cut{fill:none;stroke:#c1121f;stroke-width:6}\
.target{fill:none;stroke:#c1121f;stroke-width:5}\
.path-edge{fill:none;stroke:#fff;stroke-width:9;stroke-opacity:.8;stroke-linejoin:round;stroke-linecap:round}\
.move,.retreat,.advance,.land-in,.shot{fill:none;stroke-width:5;stroke-linejoin:round;stroke-linecap:round}\
.move{stroke:#1d1d1d}.land-in{stroke:#0a6aa1}.retreat{stroke:#7d4a00;stroke-dasharray:10 8}.advance{stroke:#7a0c12}.shot{stroke:#c1121f;stroke-width:3;stroke-dasharray:3 7}\
.burst{fill:#ffd23f;stroke:#b3161c;stroke-width:3;stroke-linejoin:round}.fallen{fill:none;stroke:#b3161c;stroke-width:6;stroke-linecap:round}\
.again{display:none}.outcome{font:700 13px 'DejaVu Sans Condensed','Arial Narrow',Arial,sans-serif;fill:#7a0c12;text-anchor:middle;stroke:#fff;stroke-width:3;paint-order:stroke}";

/// Arrow heads.
pub const DEFS: &str = "<defs>\
<marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"7\" refY=\"5\" markerWidth=\"4.2\" markerHeight=\"4.2\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#1d1d1d\"/></marker>\
<marker id=\"red\" viewBox=\"0 0 10 10\" refX=\"7\" refY=\"5\" markerWidth=\"4.2\" markerHeight=\"4.2\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#7a0c12\"/></marker>\
</defs>";

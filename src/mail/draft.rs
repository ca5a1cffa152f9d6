//! A draft of the mail that carries records.

use crate::trust::record::Record;

/// A mail to be sent by the player's own mail program.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// The records it carries, in order.
    pub records: &'a [Record],
    /// The text for the opponent to read: the report.
    pub body: &'a str,
    /// The same for mail programs that show pages; none where there is nothing to show.
    pub page: Option<MailPage>,
}

/// The report as a page, with a picture of the map that travels with it.
#[derive(Clone, Debug)]
pub struct MailPage {
    /// The page.
    pub html: String,
    /// The picture, which the page shows as `cid:map`.
    pub png: Option<Vec<u8>>,
}

/// `[garcia 400d107f] #5 spain result, head 961df46e`
pub fn subject(records: &[Record]) -> String {
    let Some(last) = records.last() else { return "[garcia]".to_owned() };
    let body = last.body();
    let game = body.game.unwrap_or_else(|| last.id()).to_string();
    let short = |id: String| id.get(..8).unwrap_or_default().to_owned();
    format!(
        "[garcia {}] #{} {} {}, head {}",
        short(game),
        body.seq,
        body.by,
        body.kind.as_str(),
        short(last.id().to_string())
    )
}

impl Draft<'_> {
    /// The name of an attachment: `0005-garcia.txt`.
    fn attachment_name(record: &Record) -> String {
        format!("{:04}-garcia.txt", record.body().seq)
    }

    /// The records as text to be pasted.
    pub fn pasted(&self) -> String {
        let texts: Vec<String> = self.records.iter().map(Record::armoured).collect();
        texts.join("\n")
    }

    /// The whole draft as an `.eml` file: the report as the body, the records as attachments.
    pub fn eml(&self) -> String {
        // The boundary may not occur in what it parts; the id of a record occurs in none of the texts as it stands here.
        let mark = self.records.last().map(|record| record.id().to_string()).unwrap_or_default();
        let boundary = format!("garcia-{}", mark.get(..32).unwrap_or_default());
        let mut eml = String::new();
        eml.push_str(&format!("Subject: {}\r\n", subject(self.records)));
        eml.push_str("X-Unsent: 1\r\nMIME-Version: 1.0\r\n");
        eml.push_str(&format!("Content-Type: multipart/mixed; boundary=\"{boundary}\"\r\n\r\n"));
        eml.push_str(&format!("--{boundary}\r\n"));
        match &self.page {
            None => text(&mut eml, "plain", self.body),
            Some(page) => {
                let (either, with) = (format!("{boundary}-either"), format!("{boundary}-with"));
                eml.push_str(&format!(
                    "Content-Type: multipart/alternative; boundary=\"{either}\"\r\n\r\n--{either}\r\n"
                ));
                text(&mut eml, "plain", self.body);
                eml.push_str(&format!(
                    "\r\n--{either}\r\nContent-Type: multipart/related; boundary=\"{with}\"\r\n\r\n"
                ));
                eml.push_str(&format!("--{with}\r\n"));
                text(&mut eml, "html", &page.html);
                if let Some(png) = &page.png {
                    eml.push_str(&format!("\r\n--{with}\r\nContent-Type: image/png\r\nContent-ID: <map>\r\n"));
                    eml.push_str("Content-Disposition: inline; filename=\"map.png\"\r\n");
                    eml.push_str("Content-Transfer-Encoding: base64\r\n\r\n");
                    eml.push_str(&base64(png));
                }
                eml.push_str(&format!("\r\n--{with}--\r\n\r\n--{either}--\r\n"));
            }
        }
        for record in self.records {
            let name = Draft::attachment_name(record);
            eml.push_str(&format!(
                "\r\n--{boundary}\r\nContent-Type: text/plain; charset=us-ascii; name=\"{name}\"\r\n"
            ));
            eml.push_str(&format!("Content-Disposition: attachment; filename=\"{name}\"\r\n"));
            eml.push_str("Content-Transfer-Encoding: 7bit\r\n\r\n");
            eml.push_str(&record.armoured().replace('\n', "\r\n"));
        }
        eml.push_str(&format!("\r\n--{boundary}--\r\n"));
        eml
    }
}

/// A part of text.
fn text(eml: &mut String, kind: &str, body: &str) {
    eml.push_str(&format!("Content-Type: text/{kind}; charset=utf-8\r\n"));
    eml.push_str("Content-Transfer-Encoding: quoted-printable\r\n\r\n");
    eml.push_str(&quoted_printable(body));
}

/// Bytes as base64, lines of 76 characters.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    // 57 bytes make a line of 76 characters.
    for line in bytes.chunks(57) {
        for three in line.chunks(3) {
            let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for digit in 0..4 {
                let index = usize::try_from(bits >> (18 - 6 * digit) & 63).unwrap_or(0);
                let sign = DIGITS.get(index).copied().map_or('=', char::from);
                out.push(if digit <= three.len() { sign } else { '=' });
            }
        }
        out.push_str("\r\n");
    }
    out
}

/// Text as quoted-printable, lines of at most 76 characters.
fn quoted_printable(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut width = 0;
        let bytes = line.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            let last = at + 1 == bytes.len();
            let plain = matches!(byte, b'!'..=b'<' | b'>'..=b'~') || (*byte == b' ' && !last);
            let piece = if plain { char::from(*byte).to_string() } else { format!("={byte:02X}") };
            if width + piece.len() > 75 {
                out.push_str("=\r\n");
                width = 0;
            }
            width += piece.len();
            out.push_str(&piece);
        }
        out.push_str("\r\n");
    }
    out
}

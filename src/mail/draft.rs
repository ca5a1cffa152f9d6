//! A draft of the mail that carries records.

use crate::trust::record::Record;

/// A mail to be sent by the player's own mail program.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    /// The records it carries, in order.
    pub records: &'a [Record],
    /// The text for the opponent to read: the report.
    pub body: &'a str,
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
        eml.push_str(&format!("--{boundary}\r\nContent-Type: text/plain; charset=utf-8\r\n"));
        eml.push_str("Content-Transfer-Encoding: quoted-printable\r\n\r\n");
        eml.push_str(&quoted_printable(self.body));
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

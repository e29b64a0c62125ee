//! The file of a certificate.
//!
//! A line `pv certificate 2`, then blocks of at most 64 KiB: the length and the CRC of a block as four bytes each, and the block. A block
//! of length 0 is the last. So a byte that was changed is found with its place before anything is made of it. Inside the blocks there are
//! numbers of seven bits a byte, the lowest first; a number with a sign is doubled, and a negative one is turned over. Of a row only the
//! numbers are written that differ from the row in front: how many are the same, then the number that differs.
//!
//! A reader believes no count: every thing takes a byte at least, so a file cannot ask for more things than it has bytes. What is read may
//! take many times the bytes of the file all the same, so the reader has a budget: it counts what each thing will take before it makes it.

use super::{
    BodyNames, Certificate, Checked, Ends, Error, ErrorKind, Evidence, Names, Open, OpenAt, PART, Process, ROW_HEAD,
    Section, Subject, Table,
};

/// The first line.
const HEAD: &[u8] = b"pv certificate 2\n";
/// Bytes of a block.
const BLOCK: usize = 64 << 10;
/// Bytes that the contents of a file may take; more are no certificate for a reference executor.
pub const MOST_BYTES: usize = 1 << 30;
/// Bytes of an allocation beside its contents.
const BLOCK_HEAD: usize = 16;
/// Numbers of a row: 255 processes, 255 channels and what stands in front.
const LONGEST_ROW: usize = ROW_HEAD + 2 * 255;

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The byte of the file, counted from 0.
    pub at: usize,
    /// What is wrong there.
    pub what: String,
    /// Nothing is wrong, but there is more than may be read.
    pub too_much: bool,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "at byte {}: {}", self.at, self.what)
    }
}

/// The bytes of a file.
pub fn encode(certificate: &Certificate) -> Vec<u8> {
    let mut writer = Writer(Vec::new());
    writer.text(&certificate.model);
    writer.number(certificate.fingerprint);
    writer.texts(&certificate.names.globals);
    writer.count(certificate.names.bodies.len());
    for body in &certificate.names.bodies {
        writer.text(&body.name);
        writer.texts(&body.locals);
    }
    writer.count(certificate.sections.len());
    certificate.sections.iter().for_each(|section| writer.section(section));
    wrap(&writer.0)
}

/// Is a file that is there an earlier certificate, or empty?
pub fn may_be_replaced(file: impl std::io::Read) -> std::io::Result<bool> {
    let mut head = Vec::new();
    std::io::Read::read_to_end(&mut file.take(HEAD.len() as u64), &mut head)?;
    // Also one of another version.
    Ok(head.is_empty() || (head.len() == HEAD.len() && head.starts_with(&HEAD[..HEAD.len() - 2])))
}

/// Contents as blocks with checksums.
pub(crate) fn wrap(data: &[u8]) -> Vec<u8> {
    let mut file = HEAD.to_vec();
    for block in data.chunks(BLOCK) {
        file.extend_from_slice(&(block.len() as u32).to_le_bytes());
        file.extend_from_slice(&crc32fast::hash(block).to_le_bytes());
        file.extend_from_slice(block);
    }
    file.extend_from_slice(&[0; 8]);
    file
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut value: u64) {
        while value > 0x7f {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn count(&mut self, value: usize) {
        self.number(value as u64);
    }

    fn signed(&mut self, value: i32) {
        self.number(u64::from(((value << 1) ^ (value >> 31)) as u32));
    }

    fn signeds(&mut self, values: &[i32]) {
        self.count(values.len());
        values.iter().for_each(|&value| self.signed(value));
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn texts(&mut self, texts: &[String]) {
        self.count(texts.len());
        texts.iter().for_each(|text| self.text(text));
    }

    fn section(&mut self, section: &Section) {
        let checked = &section.checked;
        let (subject, name) = match &checked.subject {
            Subject::Errors => (0, None),
            Subject::AcceptLabels => (1, None),
            Subject::Progress => (2, None),
            Subject::Never => (3, None),
            Subject::Formula(name) => (4, Some(name)),
        };
        self.number(subject);
        name.into_iter().for_each(|name| self.text(name));
        self.number(u64::from(checked.fair));
        self.number(u64::from(checked.assertions));
        self.number(match checked.ends {
            Ends::Ignored => 0,
            Ends::Judged => 1,
            Ends::JudgedWithChannels => 2,
        });
        match &section.evidence {
            Evidence::Holds(table) => {
                self.number(0);
                self.table(table);
            }
            Evidence::Broken(error, table) => {
                self.number(match error.kind {
                    ErrorKind::Assertion => 1,
                    ErrorKind::RunTime => 2,
                    ErrorKind::EndState => 3,
                    ErrorKind::Property => 4,
                });
                self.text(&error.message);
                self.table(table);
            }
        }
    }

    fn numbers(&mut self, values: &[u32]) {
        self.count(values.len());
        values.iter().for_each(|&value| self.number(u64::from(value)));
    }

    fn open(&mut self, open: &Open) {
        self.numbers(&open.globals);
        self.count(open.places.len());
        for at in &open.places {
            [at.body, at.place].iter().for_each(|&value| self.number(u64::from(value)));
            self.numbers(&at.locals);
            self.numbers(&at.globals);
        }
        self.count(open.gone.len());
        for (body, globals) in &open.gone {
            self.number(u64::from(*body));
            self.numbers(globals);
        }
        self.count(open.fields.len());
        open.fields.iter().flat_map(|&(channel, field)| [channel, field]).for_each(|value| self.number(value.into()));
    }

    fn table(&mut self, table: &Table) {
        self.open(&table.open);
        self.count(table.globals.len());
        table.globals.iter().for_each(|globals| self.signeds(globals));
        self.count(table.processes.len());
        for process in &table.processes {
            [process.body, process.place, process.priority].iter().for_each(|&value| self.number(u64::from(value)));
            self.signeds(&process.locals);
        }
        self.count(table.channels.len());
        for messages in &table.channels {
            self.count(messages.len());
            messages.iter().for_each(|message| self.signeds(message));
        }
        self.count(table.len());
        let mut before: &[u32] = &[];
        for row in (0..table.len()).filter_map(|number| table.row(number)) {
            self.row(before, row);
            before = row;
        }
    }

    /// The length, then pairs of "so many as before" and the number behind them.
    fn row(&mut self, before: &[u32], row: &[u32]) {
        self.count(row.len());
        let mut same = 0;
        for (at, &cell) in row.iter().enumerate() {
            if before.get(at) == Some(&cell) {
                same += 1;
                continue;
            }
            self.count(same);
            self.number(u64::from(cell));
            same = 0;
        }
        if same > 0 {
            self.count(same);
        }
    }
}

/// Reads the bytes of a file.
pub fn decode(file: &[u8]) -> Result<Certificate, Damage> {
    decode_within(file, MOST_BYTES)
}

/// As [`decode`]; what is read takes no more than about so many bytes.
pub fn decode_within(file: &[u8], most: usize) -> Result<Certificate, Damage> {
    let data = blocks(file)?;
    let mut reader = Reader { data: &data, at: 0, left: most.min(MOST_BYTES) };
    let model = reader.text()?;
    let fingerprint = reader.number()?;
    let globals = reader.list(Reader::text)?;
    let body = |reader: &mut Reader<'_>| Ok(BodyNames { name: reader.text()?, locals: reader.list(Reader::text)? });
    let bodies = reader.list(body)?;
    let sections = reader.list(Reader::section)?;
    if reader.at < data.len() {
        return reader.damage("more follows behind the last section");
    }
    Ok(Certificate { model, fingerprint, names: Names { globals, bodies }, sections })
}

/// The contents of the blocks, if each is whole.
pub(crate) fn blocks(file: &[u8]) -> Result<Vec<u8>, Damage> {
    let damage = |at, what: &str| Err(Damage { at, what: what.to_string(), too_much: false });
    let Some(mut rest) = file.strip_prefix(HEAD) else {
        return damage(0, "it does not begin with `pv certificate 2`");
    };
    let mut data = Vec::new();
    loop {
        let at = file.len() - rest.len();
        let Some((head, behind)) = rest.split_at_checked(8) else { return damage(at, "the file ends too early") };
        let word = |from: usize| u32::from_le_bytes([head[from], head[from + 1], head[from + 2], head[from + 3]]);
        let (length, sum) = (word(0) as usize, word(4));
        if length == 0 {
            return match (sum, behind.is_empty()) {
                (0, true) => Ok(data),
                (0, false) => damage(at + 8, "more follows behind the last block"),
                _ => damage(at, "the last block has a checksum"),
            };
        }
        let Some((block, behind)) = behind.split_at_checked(length).filter(|_| length <= BLOCK) else {
            return damage(at, "a block is longer than the file");
        };
        if crc32fast::hash(block) != sum {
            let what = format!("the checksum of the block of {length} bytes that begins here is wrong");
            return Err(Damage { at, what, too_much: false });
        }
        data.extend_from_slice(block);
        rest = behind;
    }
}

struct Reader<'d> {
    data: &'d [u8],
    at: usize,
    /// Bytes that may still be taken.
    left: usize,
}

impl Reader<'_> {
    /// An error at the present place. Heads of blocks stand in front of it in the file.
    fn damage<T>(&self, what: &str) -> Result<T, Damage> {
        let at = HEAD.len() + self.at + 8 * (self.at / BLOCK + 1);
        Err(Damage { at, what: what.to_string(), too_much: false })
    }

    /// What is read next will take so many bytes.
    fn take(&mut self, bytes: usize) -> Result<(), Damage> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => self.damage("there is more than may be read").map_err(|damage| Damage { too_much: true, ..damage }),
        }
    }

    fn byte(&mut self) -> Result<u8, Damage> {
        let Some(&byte) = self.data.get(self.at) else { return self.damage("the contents end too early") };
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, Damage> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        self.damage("a number is too large")
    }

    fn small(&mut self) -> Result<u32, Damage> {
        match u32::try_from(self.number()?) {
            Ok(value) => Ok(value),
            Err(_) => self.damage("a number is too large"),
        }
    }

    fn signed(&mut self) -> Result<i32, Damage> {
        let value = self.small()?;
        Ok((value >> 1) as i32 ^ -((value & 1) as i32))
    }

    fn flag(&mut self) -> Result<bool, Damage> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => self.damage("expected 0 or 1"),
        }
    }

    /// A count of things that take a byte each at least.
    fn count(&mut self) -> Result<usize, Damage> {
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if count > self.data.len() - self.at {
            return self.damage("there are fewer things than were announced");
        }
        Ok(count)
    }

    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Result<T, Damage>) -> Result<Vec<T>, Damage> {
        let count = self.count()?;
        self.take(BLOCK_HEAD + count * size_of::<T>())?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }

    fn text(&mut self) -> Result<String, Damage> {
        let length = self.count()?;
        self.take(BLOCK_HEAD + length)?;
        let bytes = &self.data[self.at..self.at + length];
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                self.at += length;
                Ok(text.to_string())
            }
            Err(_) => self.damage("a name is not text"),
        }
    }

    fn section(&mut self) -> Result<Section, Damage> {
        let subject = match self.number()? {
            0 => Subject::Errors,
            1 => Subject::AcceptLabels,
            2 => Subject::Progress,
            3 => Subject::Never,
            4 => Subject::Formula(self.text()?),
            _ => return self.damage("a property of unknown kind"),
        };
        let (fair, assertions) = (self.flag()?, self.flag()?);
        let ends = match self.number()? {
            0 => Ends::Ignored,
            1 => Ends::Judged,
            2 => Ends::JudgedWithChannels,
            _ => return self.damage("end states are judged in an unknown way"),
        };
        let kind = match self.number()? {
            0 => None,
            1 => Some(ErrorKind::Assertion),
            2 => Some(ErrorKind::RunTime),
            3 => Some(ErrorKind::EndState),
            4 => Some(ErrorKind::Property),
            _ => return self.damage("a verdict of unknown kind"),
        };
        let evidence = match kind {
            None => Evidence::Holds(self.table()?),
            Some(kind) => Evidence::Broken(Error { kind, message: self.text()? }, self.table()?),
        };
        Ok(Section { checked: Checked { subject, fair, assertions, ends }, evidence })
    }

    fn open(&mut self) -> Result<Open, Damage> {
        let numbers = |reader: &mut Self| reader.list(Reader::small);
        Ok(Open {
            globals: numbers(self)?,
            places: self.list(|reader| {
                let (body, place) = (reader.small()?, reader.small()?);
                Ok(OpenAt { body, place, locals: numbers(reader)?, globals: numbers(reader)? })
            })?,
            gone: self.list(|reader| Ok((reader.small()?, numbers(reader)?)))?,
            fields: self.list(|reader| Ok((reader.small()?, reader.small()?)))?,
        })
    }

    fn table(&mut self) -> Result<Table, Damage> {
        let mut table = Table { open: self.open()?, ..Table::default() };
        self.parts(|reader| reader.list(Reader::signed), |part| table.globals_number(part).1)?;
        self.parts(Reader::process, |part| table.process_number(part).1)?;
        self.parts(|reader| reader.list(|reader| reader.list(Reader::signed)), |part| table.channel_number(part).1)?;
        let rows = self.count()?;
        let mut row = Vec::new();
        for _ in 0..rows {
            self.row(&mut row)?;
            // The vectors grow by doubling.
            self.take(2 * (size_of::<usize>() + row.len() * size_of::<u32>()))?;
            table.add_cells(&row);
        }
        Ok(table)
    }

    /// Parts that states share: each stands once.
    fn parts<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, Damage>,
        mut is_new: impl FnMut(T) -> bool,
    ) -> Result<(), Damage> {
        for _ in 0..self.count()? {
            let part = read(self)?;
            self.take(PART)?;
            if !is_new(part) {
                return self.damage("a part of states stands twice");
            }
        }
        Ok(())
    }

    fn process(&mut self) -> Result<Process, Damage> {
        let (body, place, priority) = (self.small()?, self.small()?, self.small()?);
        Ok(Process { body, place, priority, locals: self.list(Reader::signed)? })
    }

    /// Reads a row; `row` is the one in front of it.
    fn row(&mut self, row: &mut Vec<u32>) -> Result<(), Damage> {
        let length = self.small()? as usize;
        if !(ROW_HEAD..=LONGEST_ROW).contains(&length) {
            return self.damage("a row of this length is no state");
        }
        let before = row.len();
        row.resize(length, 0);
        let mut at = 0;
        while at < length {
            let same = self.small()? as usize;
            if same > length - at || (same > 0 && at + same > before) {
                return self.damage("a row repeats more than the row in front of it has");
            }
            at += same;
            if at < length {
                row[at] = self.small()?;
                at += 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Row;
    use super::*;

    fn sample() -> Certificate {
        let process = |place| Process { body: 0, place, priority: 1, locals: vec![-1, i32::MAX, i32::MIN] };
        let open = Open {
            globals: vec![1],
            places: vec![OpenAt { body: 0, place: 2, locals: vec![0, 2], globals: vec![0] }],
            gone: vec![(0, vec![0, 1])],
            fields: vec![(0, 0), (1, 300)],
        };
        let mut table = Table { open, ..Table::default() };
        for number in 0..5 {
            table.add(Row {
                globals: vec![number / 2, 7],
                last: 3,
                trace: 0,
                claim: (number > 2).then(|| process(9)),
                processes: (0..=number as u32 % 3).map(process).collect(),
                channels: vec![vec![vec![number]; 2], Vec::new()],
            });
        }
        let checked =
            Checked { subject: Subject::Errors, fair: false, assertions: true, ends: Ends::JudgedWithChannels };
        let error = Error { kind: ErrorKind::Property, message: "it fails".into() };
        let formula = Checked { subject: Subject::Formula("p".into()), fair: true, ..checked };
        Certificate {
            model: "m.pml".into(),
            fingerprint: u64::MAX,
            names: Names {
                globals: vec!["x".into(), "a[0]".into()],
                bodies: vec![BodyNames { name: "P".into(), locals: vec!["i".into(), "i".into(), "s.f".into()] }],
            },
            sections: vec![
                Section { checked, evidence: Evidence::Holds(table.clone()) },
                Section { checked: formula, evidence: Evidence::Broken(error, table) },
            ],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let certificate = sample();
        assert_eq!(decode(&encode(&certificate)), Ok(certificate));
    }

    /// A checksum finds each of them; the place is the one that was changed, or the block around it.
    #[test]
    fn a_byte_that_was_changed_is_found() {
        let whole = encode(&sample());
        for at in 0..whole.len() {
            for flip in [1, 0x80] {
                let mut damaged = whole.clone();
                damaged[at] ^= flip;
                let damage = decode(&damaged).expect_err("a byte was changed");
                assert!(damage.at <= at, "{at}: {damage}");
            }
            assert!(decode(&whole[..at]).is_err(), "cut at {at}");
        }
    }

    /// Few bytes may stand for many: what they would take is counted before it is there.
    #[test]
    fn a_file_that_would_take_too_much_is_refused() {
        let mut long = sample();
        let mut table = Table::default();
        for number in 0..2_000 {
            let channels = vec![Vec::new(); 200];
            table.add(Row { globals: vec![number % 2], channels, ..Row::default() });
        }
        long.sections[0].evidence = Evidence::Holds(table);
        let file = encode(&long);
        assert!(file.len() < 20_000);
        assert!(decode_within(&file, 1 << 23).is_ok());
        assert!(decode_within(&file, 1 << 20).is_err_and(|damage| damage.too_much));
        assert!(decode_within(&encode(&sample()), 4_000).is_err_and(|damage| damage.too_much));
    }

    /// The same behind the checksums: whatever stands there, reading ends, and what is read has no more parts than the file has bytes.
    #[test]
    fn contents_that_make_no_sense_are_refused() {
        let whole = blocks(&encode(&sample())).expect("whole");
        let mut refused = 0;
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                let mut reader = Reader { data: &damaged, at: 0, left: MOST_BYTES };
                let _ = (reader.text(), reader.number(), reader.list(Reader::text));
                refused += usize::from(reader.section().is_err());
            }
        }
        assert!(refused > whole.len());
    }
}

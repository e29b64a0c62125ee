//! A table of words in a checkpoint: only the words that are not 0, each with its place, or all words if that is shorter.

use crate::checkpoint::{Reader, Writer, section};
use crate::limit::Limit;

/// Writes the table as the section of visited states.
pub(in crate::store) fn save(words: &[u64], writer: &mut Writer) -> Result<(), Limit> {
    let taken = words.iter().filter(|&&word| word != 0).count();
    let dense = taken * 2 >= words.len();
    writer.section(section::VISITED)?;
    writer.write(&u32::from(dense).to_le_bytes())?;
    for (place, &word) in words.iter().enumerate() {
        if dense {
            writer.write(&word.to_le_bytes())?;
        } else if word != 0 {
            writer.write(&(place as u64).to_le_bytes())?;
            writer.write(&word.to_le_bytes())?;
        }
    }
    writer.end_section()
}

/// Reads the table, which must be as large as the one that was written and all 0.
pub(in crate::store) fn load(words: &mut [u64], reader: &mut Reader) -> Result<(), Limit> {
    let length = reader.section(section::VISITED)?.saturating_sub(4);
    if reader.u32()? == 1 {
        return words.iter_mut().try_for_each(|word| reader.u64().map(|read| *word = read));
    }
    for _ in 0..length / 16 {
        let (place, value) = (reader.u64()?, reader.u64()?);
        match usize::try_from(place).ok().and_then(|place| words.get_mut(place)) {
            Some(word) => *word = value,
            None => return Err(reader.refuse("its table is larger than it says")),
        }
    }
    Ok(())
}

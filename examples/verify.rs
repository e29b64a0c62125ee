//! Checks models from a program: `cargo run --release --example verify -- examples/peterson.pml --full`.

fn main() -> Result<(), String> {
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or("which model?")?;
    let options: Vec<String> = words.collect();
    for answer in pv::Verifier::of_file(&file).options(&options.join(" ")).verify()? {
        let what = answer.property.as_deref().unwrap_or("assertions and end states");
        println!("{what}: {} ({} states)", answer.verdict.name(), answer.counts.stored);
        for error in &answer.errors {
            println!("  {}", error.message);
            for step in error.steps.iter().filter(|step| step.pid.is_some()) {
                println!("    {}({}) line {}: {}", step.process, step.pid.unwrap_or(0), step.line, step.text);
            }
        }
    }
    Ok(())
}

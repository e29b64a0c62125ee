//! Turns `grammar/promela.lalrpop` into the parser tables that `src/syntax/parser.rs` includes.

fn main() {
    lalrpop::Configuration::new()
        .emit_rerun_directives(true)
        .set_in_dir("grammar")
        .set_out_dir(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"))
        .process()
        .expect("grammar/promela.lalrpop is a valid grammar");
}

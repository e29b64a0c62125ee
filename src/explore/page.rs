//! The page: one HTML file with its style and script inside, and a policy that lets the browser run and load nothing else.
//!
//! The policy names style and script by their hashes, so that even a text that found its way into the page could not run.
//! Data of a run stands in the page as JSON in which `<` is written as an escape: no text can end the element it stands in.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What a browser may do with the page; `connect` is where it may ask for more.
pub(crate) fn policy(connect: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    format!(
        "default-src 'none'; script-src {}; style-src {}; connect-src {connect}; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    )
}

/// The page with this data in it. Without a server (`connect` is `'none'`) the data is the whole run.
pub(crate) fn render(data: &Value, connect: &str) -> String {
    // Of the places only the last holds text of a model.
    PAGE.replacen("{policy}", &policy(connect), 1)
        .replacen("{style}", STYLE, 1)
        .replacen("{script}", SCRIPT, 1)
        .replacen("{data}", &embedded(data), 1)
}

/// JSON that can stand in a `script` element.
fn embedded(data: &Value) -> String {
    let text = data.to_string();
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_end_its_element() {
        let data = serde_json::json!({"text": "</script><!-- <script> &amp; {script} {style}"});
        let page = render(&data, "'none'");
        let own = PAGE.matches("<script").count() + SCRIPT.matches("<script").count();
        assert_eq!(page.matches("<script").count(), own);
        assert_eq!(page.matches("</script").count(), own);
        assert!(!page.contains("<!--"));
        assert!(page.contains("\\u003c/script\\u003e"));
        // It is read back as it was.
        assert_eq!(serde_json::from_str::<Value>(&embedded(&data)).expect("JSON"), data);
    }

    #[test]
    fn the_page_loads_nothing() {
        for foreign in ["src=", "href=", "@import", "url(", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval("] {
            assert!(!PAGE.contains(foreign) && !STYLE.contains(foreign) && !SCRIPT.contains(foreign), "{foreign}");
        }
        assert!(policy("'none'").starts_with("default-src 'none'; script-src 'sha256-"));
    }
}

//! A validator of JSON Schema, draft 2020-12, as far as `docs/schema` uses it. A keyword that it does not know is a failure, so that
//! nothing in a schema is passed over.

use serde_json::Value;

/// What is wrong with a value, with its place; nothing if it is as the schema says.
pub(crate) fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    let keywords = match schema {
        Value::Bool(true) => return,
        Value::Bool(false) => return found.push(format!("{place}: nothing is allowed here")),
        Value::Object(keywords) => keywords,
        other => panic!("no schema: {other}"),
    };
    for (keyword, wanted) in keywords {
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "prefixItems" => {}
            "$ref" => check(root, target(root, wanted), value, place, found),
            "type" => of_type(wanted, value, place, found),
            "const" if value == wanted => {}
            "enum" if list(wanted).contains(value) => {}
            "const" | "enum" => found.push(format!("{place}: {value} is not {wanted}")),
            "minimum" | "maximum" => bound(keyword, wanted, value, place, found),
            "minItems" => {
                if value.as_array().is_some_and(|items| (items.len() as u64) < wanted.as_u64().expect("a number")) {
                    found.push(format!("{place}: too few items"));
                }
            }
            "anyOf" => any_of(root, list(wanted), value, place, found),
            "properties" => {
                for (name, schema) in wanted.as_object().expect("an object") {
                    if let Some(value) = value.get(name) {
                        check(root, schema, value, &format!("{place}/{name}"), found);
                    }
                }
            }
            "required" => {
                let missing = |name: &&Value| value.is_object() && value.get(name.as_str().expect("a name")).is_none();
                found.extend(list(wanted).iter().filter(missing).map(|name| format!("{place}: {name} is missing")));
            }
            "additionalProperties" => {
                let known = keywords.get("properties").and_then(Value::as_object);
                for (name, value) in value.as_object().into_iter().flatten() {
                    if !known.is_some_and(|known| known.contains_key(name)) {
                        check(root, wanted, value, &format!("{place}/{name}"), found);
                    }
                }
            }
            "items" => {
                let first = keywords.get("prefixItems").map(|first| list(first).as_slice()).unwrap_or_default();
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, first.get(index).unwrap_or(wanted), value, &format!("{place}/{index}"), found);
                }
            }
            other => panic!("the keyword {other} is not known"),
        }
    }
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn target<'s>(root: &'s Value, reference: &Value) -> &'s Value {
    let path = reference.as_str().and_then(|text| text.strip_prefix('#')).expect("a reference within the file");
    root.pointer(path).unwrap_or_else(|| panic!("{reference} is nowhere"))
}

fn of_type(wanted: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    let is = |name: &Value| match name.as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("the type {other} is not known"),
    };
    let fits = if wanted.is_array() { list(wanted).iter().any(is) } else { is(wanted) };
    if !fits {
        found.push(format!("{place}: {value} is no {wanted}"));
    }
}

fn bound(keyword: &str, wanted: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    let bound = wanted.as_f64().expect("a number");
    if value.as_f64().is_some_and(|number| if keyword == "minimum" { number < bound } else { number > bound }) {
        found.push(format!("{place}: {value} is beyond {wanted}"));
    }
}

/// The errors of the alternative that fits best.
fn any_of(root: &Value, schemas: &[Value], value: &Value, place: &str, found: &mut Vec<String>) {
    let tried = schemas.iter().map(|schema| {
        let mut found = Vec::new();
        check(root, schema, value, place, &mut found);
        found
    });
    found.extend(tried.min_by_key(Vec::len).expect("an alternative"));
}

/// Every object of a schema that names its fields refuses others.
pub(crate) fn open_objects(schema: &Value, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    if schema.get("properties").is_some_and(Value::is_object) && schema["additionalProperties"] != Value::Bool(false) {
        found.push(place.to_string());
    }
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let place = format!("{place}/{keyword}");
        match (keyword.as_str(), value) {
            // Names of fields are no keywords.
            ("properties" | "$defs", Value::Object(schemas)) => {
                found
                    .extend(schemas.iter().flat_map(|(name, schema)| open_objects(schema, &format!("{place}/{name}"))));
            }
            (_, Value::Array(schemas)) => found.extend(schemas.iter().flat_map(|schema| open_objects(schema, &place))),
            _ => found.extend(open_objects(value, &place)),
        }
    }
    found
}

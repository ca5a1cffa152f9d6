//! JSON Schemas from the Rust types, for editors and other programs.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of something people write and garcia reads.
pub fn schema_to_read<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of something garcia writes: what is left out when there is nothing to say need not be there.
pub fn schema_to_write<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of a data file: it is spelled as garcia would write it (hexes in quotes), but what has a default may be
/// left out.
pub fn schema_of_data<T: JsonSchema>() -> Value {
    let mut schema = schema_to_write::<T>();
    require_as(&mut schema, &schema_to_read::<T>());
    schema
}

/// Takes over which keys are required, at every depth.
fn require_as(schema: &mut Value, model: &Value) {
    match (schema, model) {
        (Value::Object(schema), Value::Object(model)) => {
            if schema.contains_key("properties") {
                match model.get("required") {
                    Some(keys) => schema.insert("required".to_owned(), keys.clone()),
                    None => schema.remove("required"),
                };
            }
            for (key, part) in schema.iter_mut().filter(|(key, _)| *key != "required") {
                if let Some(model) = model.get(key) {
                    require_as(part, model);
                }
            }
        }
        (Value::Array(parts), Value::Array(models)) => {
            parts.iter_mut().zip(models).for_each(|(part, model)| require_as(part, model));
        }
        _ => {}
    }
}

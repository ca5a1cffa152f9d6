//! JSON Schemas from the Rust types, for editors and other programs.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of something people write and garcia reads.
pub fn schema_to_read<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>().to_value()
}

/// The schema of something garcia writes, or reads only as it would write it itself, such as a data file: what is
/// left out when there is nothing to say need not be there.
pub fn schema_to_write<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().to_value()
}

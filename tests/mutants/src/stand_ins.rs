//! What a function may give back instead of what it should.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericArgument, PathArguments, PathSegment, Type, TypeTuple};

/// No type is nested deeper than is worth trying.
const DEEPEST: u32 = 3;

/// Of the combinations of a tuple, so many.
const MOST_OF_A_TUPLE: usize = 4;

/// Values of a type that a function could return. Whether they compile is found out by compiling them.
pub fn values(of: &Type) -> Vec<TokenStream> {
    below(of, 0)
}

fn below(of: &Type, depth: u32) -> Vec<TokenStream> {
    let whatever = || vec![quote!(Default::default())];
    if depth > DEEPEST {
        return whatever();
    }
    match of {
        Type::Paren(inner) => below(&inner.elem, depth),
        Type::Tuple(tuple) => of_a_tuple(tuple, depth),
        Type::Reference(to) => match &*to.elem {
            Type::Path(path) if path.path.is_ident("str") => vec![quote!(""), quote!("xyzzy")],
            Type::Slice(_) => vec![quote!(&[])],
            _ if to.mutability.is_some() => Vec::new(),
            inner => below(inner, depth + 1).into_iter().map(|value| quote!(Box::leak(Box::new(#value)))).collect(),
        },
        // One function has one hidden type, and a value of another does not fit in.
        Type::Never(_) | Type::ImplTrait(_) => Vec::new(),
        Type::Path(path) => path.path.segments.last().map_or_else(Vec::new, |last| of_a_path(last, depth)),
        _ => whatever(),
    }
}

fn of_a_tuple(tuple: &TypeTuple, depth: u32) -> Vec<TokenStream> {
    let mut rows: Vec<Vec<TokenStream>> = vec![Vec::new()];
    for element in &tuple.elems {
        let values = below(element, depth + 1);
        let longer = |row: &Vec<TokenStream>| {
            values.iter().map(|value| [row.as_slice(), std::slice::from_ref(value)].concat()).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows.into_iter().take(MOST_OF_A_TUPLE).map(|row| quote!((#(#row),*))).collect()
}

fn of_a_path(path: &PathSegment, depth: u32) -> Vec<TokenStream> {
    let first = first_argument(path);
    let inside = || first.map_or_else(Vec::new, |inner| below(inner, depth + 1));
    match path.ident.to_string().as_str() {
        "bool" => vec![quote!(true), quote!(false)],
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => vec![quote!(0), quote!(1)],
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => vec![quote!(0), quote!(1), quote!(-1)],
        "String" => vec![quote!(String::new()), quote!(String::from("xyzzy"))],
        "Option" => {
            let some = inside().into_iter().map(|value| quote!(Some(#value)));
            std::iter::once(quote!(None)).chain(some).collect()
        }
        // `Ruling` is a result too: what the rules give, or a halt.
        "Result" | "Ruling" => match first {
            Some(_) => inside().into_iter().map(|value| quote!(Ok(#value))).collect(),
            None => vec![quote!(Ok(()))],
        },
        "Vec" => {
            let one = inside().into_iter().map(|value| quote!(vec![#value]));
            std::iter::once(quote!(vec![])).chain(one).collect()
        }
        name @ ("Box" | "Arc" | "Rc") => {
            let new = quote::format_ident!("{name}");
            inside().into_iter().map(|value| quote!(#new::new(#value))).collect()
        }
        _ => vec![quote!(Default::default())],
    }
}

fn first_argument(path: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &path.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

//! The changes themselves: each becomes a branch beside what the source says.

use std::collections::BTreeSet;

use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, BinOp, Block, Expr, ExprBinary, ExprMatch, ExprRepeat, GenericArgument, ImplItemConst, ImplItemFn, Item,
    ItemFn, ItemImpl, Pat, ReturnType, Signature, Stmt, TraitItemConst, TraitItemFn, Type, UnOp, parse_quote,
};

use super::stand_ins;

/// A change: what `MUTANT` is set to, where, and what.
pub struct Change {
    pub number: u32,
    pub place: String,
    pub function: String,
    pub what: String,
}

/// Goes through files and puts the switches in. Numbers stay the same whatever is left out.
pub struct Switches {
    pub changes: Vec<Change>,
    pub left_out: BTreeSet<u32>,
    pub file: String,
    next: u32,
    within: Vec<String>,
}

impl Switches {
    pub fn new(left_out: BTreeSet<u32>) -> Switches {
        Switches { changes: Vec::new(), left_out, file: String::new(), next: 0, within: Vec::new() }
    }

    /// The number of a change, unless it is known not to compile.
    fn change(&mut self, line: usize, what: String) -> Option<u32> {
        self.next += 1;
        let number = self.next;
        if self.left_out.contains(&number) {
            return None;
        }
        let (place, function) = (format!("{}:{line}", self.file), self.within.join("::"));
        self.changes.push(Change { number, place, function, what });
        Some(number)
    }

    /// A function that returns at once.
    fn function(&mut self, signature: &Signature, body: &mut Block) {
        // What is reckoned while compiling knows no environment.
        if signature.constness.is_some() {
            return;
        }
        let name = signature.ident.to_string();
        let written = {
            let statements = &body.stmts;
            quote!(#(#statements)*).to_string()
        };
        self.within.push(name.clone());
        visit_mut::visit_block_mut(self, body);
        let nothing: Type = parse_quote!(());
        let gives = match &signature.output {
            ReturnType::Default => &nothing,
            ReturnType::Type(_, gives) => gives,
        };
        let mut heads: Vec<Stmt> = Vec::new();
        if !written.is_empty() && !matches!(name.as_str(), "default" | "fmt") {
            for value in stand_ins::values(gives).into_iter().filter(|value| value.to_string() != written) {
                let line = signature.ident.span().start().line;
                if let Some(number) = self.change(line, format!("give {value}")) {
                    heads.push(parse_quote!(if crate::mutant(#number) { return #value; }));
                }
            }
        }
        heads.append(&mut body.stmts);
        body.stmts = heads;
        self.within.pop();
    }

    fn operator(&mut self, whole: &Expr, operation: &ExprBinary) -> Option<Expr> {
        let ExprBinary { left, right, op, .. } = operation;
        // `if let … && …` is no expression that could stand anywhere else.
        if binds(left) || binds(right) {
            return None;
        }
        let line = op.span().start().line;
        let told = |other: &str| format!("{} becomes {other}", op.to_token_stream());
        match op {
            BinOp::Eq(_) | BinOp::Ne(_) => {
                let number = self.change(line, told("its opposite"))?;
                Some(parse_quote!((crate::mutant(#number) != ((#left) #op (#right)))))
            }
            // Both readings look at the right side only where it matters.
            BinOp::And(_) => {
                let number = self.change(line, told("||"))?;
                Some(parse_quote!(
                    (if (#left) { crate::mutant(#number) || (#right) } else { crate::mutant(#number) && (#right) })
                ))
            }
            BinOp::Or(_) => {
                let number = self.change(line, told("&&"))?;
                Some(parse_quote!(
                    (if (#left) { !crate::mutant(#number) || (#right) } else { !crate::mutant(#number) && (#right) })
                ))
            }
            _ => {
                let mut branches: Expr = parse_quote!({ #whole });
                let mut any = false;
                for other in others(op) {
                    let Ok(instead) = syn::parse_str::<BinOp>(other) else { continue };
                    if let Some(number) = self.change(line, told(other)) {
                        branches = parse_quote!({
                            if crate::mutant(#number) { (#left) #instead (#right) } else #branches
                        });
                        any = true;
                    }
                }
                any.then(|| parse_quote!((#branches)))
            }
        }
    }
}

/// What an operator may become.
fn others(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Lt(_) => &["==", ">", "<="],
        BinOp::Gt(_) => &["==", "<", ">="],
        BinOp::Le(_) => &[">"],
        BinOp::Ge(_) => &["<"],
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) | BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["%", "*"],
        BinOp::Rem(_) => &["/", "+"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::BitAnd(_) => &["|", "^"],
        BinOp::BitOr(_) => &["&", "^"],
        BinOp::BitXor(_) => &["|", "&"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) | BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::BitOrAssign(_) => &["&=", "^="],
        BinOp::BitAndAssign(_) => &["|=", "^="],
        _ => &[],
    }
}

/// Whether an expression binds names for what comes after it.
fn binds(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => binds(&both.left) || binds(&both.right),
        Expr::Paren(inner) => binds(&inner.expr),
        _ => false,
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.to_token_stream().to_string();
        text.contains("cfg (test") || text.starts_with("# [test")
    })
}

impl VisitMut for Switches {
    fn visit_item_mut(&mut self, item: &mut Item) {
        let attributes = match item {
            Item::Fn(function) => &function.attrs,
            Item::Mod(module) => &module.attrs,
            Item::Impl(methods) => &methods.attrs,
            Item::Trait(methods) => &methods.attrs,
            // Constants, types and macros hold nothing that runs.
            _ => return,
        };
        if !is_test(attributes) {
            visit_mut::visit_item_mut(self, item);
        }
    }

    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        self.function(&function.sig, &mut function.block);
    }

    fn visit_item_impl_mut(&mut self, methods: &mut ItemImpl) {
        self.within.push(methods.self_ty.to_token_stream().to_string());
        visit_mut::visit_item_impl_mut(self, methods);
        self.within.pop();
    }

    fn visit_impl_item_fn_mut(&mut self, method: &mut ImplItemFn) {
        if !is_test(&method.attrs) {
            self.function(&method.sig, &mut method.block);
        }
    }

    fn visit_trait_item_fn_mut(&mut self, method: &mut TraitItemFn) {
        if let Some(body) = &mut method.default {
            self.function(&method.sig, body);
        }
    }

    // What is reckoned while compiling, and what is no code.
    fn visit_impl_item_const_mut(&mut self, _: &mut ImplItemConst) {}
    fn visit_trait_item_const_mut(&mut self, _: &mut TraitItemConst) {}
    fn visit_pat_mut(&mut self, _: &mut Pat) {}
    fn visit_type_mut(&mut self, _: &mut Type) {}
    fn visit_attribute_mut(&mut self, _: &mut Attribute) {}
    fn visit_generic_argument_mut(&mut self, _: &mut GenericArgument) {}

    fn visit_expr_repeat_mut(&mut self, repeat: &mut ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr);
    }

    fn visit_expr_match_mut(&mut self, choice: &mut ExprMatch) {
        self.visit_expr_mut(&mut choice.expr);
        let otherwise = choice.arms.iter().any(|arm| arm.guard.is_none() && matches!(arm.pat, Pat::Wild(_)));
        for arm in &mut choice.arms {
            let (line, pattern) = (arm.pat.span().start().line, arm.pat.to_token_stream().to_string());
            self.visit_expr_mut(&mut arm.body);
            match &mut arm.guard {
                Some((_, guard)) if !binds(guard) => {
                    self.visit_expr_mut(guard);
                    if let Some(number) = self.change(line, format!("the guard of {pattern} always holds")) {
                        **guard = parse_quote!(((#guard) || crate::mutant(#number)));
                    }
                    if let Some(number) = self.change(line, format!("the guard of {pattern} never holds")) {
                        **guard = parse_quote!(((#guard) && !crate::mutant(#number)));
                    }
                }
                None if otherwise && !matches!(arm.pat, Pat::Wild(_)) => {
                    if let Some(number) = self.change(line, format!("no arm for {pattern}")) {
                        arm.guard = Some((Default::default(), parse_quote!(!crate::mutant(#number))));
                    }
                }
                _ => {}
            }
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        let instead = match &*expression {
            Expr::Binary(operation) => self.operator(expression, operation),
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) && !matches!(*unary.expr, Expr::Lit(_)) => {
                let (op, of) = (&unary.op, &unary.expr);
                let number = self.change(op.span().start().line, format!("no {}", op.to_token_stream()));
                number.map(|number| parse_quote!((if crate::mutant(#number) { #of } else { #op #of })))
            }
            _ => None,
        };
        if let Some(instead) = instead {
            *expression = instead;
        }
    }
}

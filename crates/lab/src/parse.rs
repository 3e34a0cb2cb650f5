//! Reads the textual form of agents; `agent.rs` states the grammar.

use std::iter::Peekable;
use std::str::Chars;

use crate::agent::{Argument, Call, Column, Term, check_name, is_bare};
use crate::error::{AgentError, AgentProblem};

/// No sensible agent is nested deeper, and a hostile text must not exhaust the stack.
const MAX_DEPTH: usize = 16;

/// A text and how far it has been read.
pub(crate) struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    column: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Parser<'a> {
        Parser { rest: text.chars().peekable(), column: 1, depth: 0 }
    }

    /// One agent and nothing behind it.
    pub(crate) fn whole(mut self) -> Result<Call, AgentError> {
        self.skip_spaces();
        let (column, name) = self.name("the name of an agent")?;
        let call = self.call(name, column)?;
        match self.rest.peek() {
            None => Ok(call),
            Some('(') => Err(self.expected("the end of the text")),
            Some(_) if call.arguments.is_empty() => Err(self.expected("'(' or the end")),
            Some(_) => Err(self.expected("the end of the text")),
        }
    }

    /// What follows a name.
    fn call(&mut self, name: String, column: usize) -> Result<Call, AgentError> {
        let mut call = Call { name, arguments: Vec::new(), column: Column(column) };
        self.skip_spaces();
        if !self.accept('(') {
            return Ok(call);
        }
        if self.depth == MAX_DEPTH {
            return Err(AgentError::at(column, AgentProblem::TooDeep));
        }
        self.depth += 1;
        self.skip_spaces();
        if !self.accept(')') {
            loop {
                let argument = self.argument(&call)?;
                call.arguments.push(argument);
                self.skip_spaces();
                if self.accept(')') {
                    break;
                }
                if !self.accept(',') {
                    return Err(self.expected("',' or ')'"));
                }
            }
        }
        self.depth -= 1;
        self.skip_spaces();
        Ok(call)
    }

    fn argument(&mut self, call: &Call) -> Result<Argument, AgentError> {
        self.skip_spaces();
        let (column, key) = self.name("the name of a parameter")?;
        if call.argument(&key).is_some() {
            return Err(AgentError::at(column, AgentProblem::Repeated(key)));
        }
        self.skip_spaces();
        if !self.accept('=') {
            return Err(self.expected("'='"));
        }
        self.skip_spaces();
        let value_column = self.column;
        let value = self.term()?;
        Ok(Argument { key, value, column: Column(column), value_column: Column(value_column) })
    }

    fn term(&mut self) -> Result<Term, AgentError> {
        let column = self.column;
        if self.accept('"') {
            return self.quoted().map(Term::Word);
        }
        let word = self.word("a value")?;
        self.skip_spaces();
        if self.rest.peek() != Some(&'(') {
            return Ok(Term::Word(word));
        }
        check_name(&word, column)?;
        let call = self.call(word, column)?;
        // An agent without parameters has one form, whether or not brackets were written.
        if call.arguments.is_empty() { Ok(Term::Word(call.name)) } else { Ok(Term::Call(call)) }
    }

    /// The rest of a word in quotes.
    fn quoted(&mut self) -> Result<String, AgentError> {
        let mut word = String::new();
        loop {
            match self.rest.peek().copied() {
                Some('"') => {
                    self.next();
                    return Ok(word);
                }
                Some('\\') => {
                    self.next();
                    match self.rest.peek().copied() {
                        Some(c @ ('"' | '\\')) => word.push(c),
                        _ => return Err(self.expected("'\"' or '\\' after '\\'")),
                    }
                    self.next();
                }
                Some(c) if !c.is_control() => {
                    word.push(c);
                    self.next();
                }
                _ => return Err(self.expected("'\"'")),
            }
        }
    }

    fn name(&mut self, what: &'static str) -> Result<(usize, String), AgentError> {
        let column = self.column;
        let word = self.word(what)?;
        check_name(&word, column)?;
        Ok((column, word))
    }

    fn word(&mut self, what: &'static str) -> Result<String, AgentError> {
        let mut word = String::new();
        while let Some(&c) = self.rest.peek().filter(|c| is_bare(**c)) {
            word.push(c);
            self.next();
        }
        if word.is_empty() { Err(self.expected(what)) } else { Ok(word) }
    }

    fn skip_spaces(&mut self) {
        while self.rest.peek().is_some_and(|c| c.is_whitespace()) {
            self.next();
        }
    }

    fn accept(&mut self, wanted: char) -> bool {
        let there = self.rest.peek() == Some(&wanted);
        if there {
            self.next();
        }
        there
    }

    fn next(&mut self) {
        self.column += usize::from(self.rest.next().is_some());
    }

    fn expected(&mut self, what: &'static str) -> AgentError {
        let found = self.rest.peek().copied();
        AgentError::at(self.column, AgentProblem::Expected { what, found })
    }
}

#[cfg(test)]
mod tests {
    use crate::agent::Call;

    fn canonical(text: &str) -> String {
        text.parse::<Call>().map_or_else(|e| e.to_string(), |call| call.to_string())
    }

    #[test]
    fn spaces_and_brackets_do_not_matter() {
        assert_eq!(canonical(" random "), "random");
        assert_eq!(canonical("random( )"), "random");
        assert_eq!(canonical("greedy(net = a/b c)"), "column 18: expected ',' or ')', found 'c'");
        assert_eq!(canonical("greedy( net=\"a/b c\" )"), "greedy(net=\"a/b c\")");
        assert_eq!(canonical("greedy(net=\"a\")"), "greedy(net=a)");
        assert_eq!(canonical("corner(agent=random())"), "corner(agent=random)");
        assert_eq!(canonical("a(b=c(d=\"\"), e=-1.5e3)"), "a(b=c(d=\"\"), e=-1.5e3)");
    }

    #[test]
    fn errors_say_what_and_where() {
        let cases = [
            ("", "column 1: expected the name of an agent, but the text ends"),
            ("(", "column 1: expected the name of an agent, found '('"),
            (
                "Greedy",
                "column 1: \"Greedy\" is no name: lower-case letters, digits and - after a letter",
            ),
            ("a b", "column 3: expected '(' or the end, found 'b'"),
            ("a(b=1) c", "column 8: expected the end of the text, found 'c'"),
            ("a()()", "column 4: expected the end of the text, found '('"),
            ("a(b)", "column 4: expected '=', found ')'"),
            ("a(b=1", "column 6: expected ',' or ')', but the text ends"),
            ("a(b=1,)", "column 7: expected the name of a parameter, found ')'"),
            ("a(b=1, b=2)", "column 8: b is given twice"),
            ("a(b=\"x", "column 7: expected '\"', but the text ends"),
            ("a(b=\"\\x\")", "column 7: expected '\"' or '\\' after '\\', found 'x'"),
            (
                "a(b=X(c=1))",
                "column 5: \"X\" is no name: lower-case letters, digits and - after a letter",
            ),
            ("é(b=", "column 1: \"é\" is no name: lower-case letters, digits and - after a letter"),
        ];
        for (text, error) in cases {
            assert_eq!(canonical(text), error);
        }
        assert_eq!(canonical(&"a(b=".repeat(100_000)), "column 65: too many agents within agents");
    }
}

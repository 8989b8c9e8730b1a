"""Parse statements and files: functions, OpDef constructors, globals and the PYBIND11_MODULE block."""

from akgen.bench.npukb.cpp import syntax as cpp
from akgen.bench.npukb.cpp.expressions import ExpressionParser
from akgen.bench.npukb.cpp.lexer import NotHere, tokenize
from akgen.tools.core.outcome import InputError


class Parser(ExpressionParser):
    def block(self) -> cpp.CompoundStmt:
        line = self.expect("{").line
        body: list[cpp.AstNode] = []
        while not self.accept("}"):
            body.append(self.statement())
        return cpp.CompoundStmt(line, tuple(body))

    def statement(self) -> cpp.AstNode:
        token = self.token
        if token.text == "{" and token.kind == "op":
            return self.block()
        if self.accept(";"):
            return cpp.CompoundStmt(token.line, ())
        if self.accept("if"):
            return self._if(token.line)
        if self.accept("for"):
            return self._for(token.line)
        if self.accept("switch"):
            return self._switch(token.line)
        if self.accept("break"):
            self.expect(";")
            return cpp.BreakStmt(token.line)
        if self.accept("return"):
            value = None if self.token.text == ";" else self.expression()
            self.expect(";")
            return cpp.ReturnStmt(token.line, value)
        if self.accept("throw"):
            value = self.expression()
            self.expect(";")
            return cpp.ThrowExpr(token.line, value)
        declared = self.declaration()
        if declared is not None:
            return declared
        value = self.expression()
        self.expect(";")
        return value

    def declaration(self) -> cpp.AstNode | None:
        """Parse `T a = e, b(c);`, or go back and return None if this is no declaration."""
        start, line = self.at, self.token.line
        try:
            kind = self.type()
        except NotHere:
            self.at = start
            return None
        if self.token.kind != "name" or self.peek().text not in ("=", ";", "(", "{", ","):
            self.at = start
            return None
        declared: list[cpp.AstNode] = []
        while True:
            name = self.identifier()
            if self.accept("="):
                declared.append(cpp.VarDecl(line, kind, name, self.expression()))
            elif self.accept("("):
                declared.append(cpp.VarDecl(line, kind, name, None, self.arguments(")")))
            elif self.token.text == "{":
                declared.append(cpp.VarDecl(line, kind, name, self.primary()))
            else:
                declared.append(cpp.VarDecl(line, kind, name))
            if not self.accept(","):
                break
        self.expect(";")
        return declared[0] if len(declared) == 1 else cpp.CompoundStmt(-1, tuple(declared))

    def _if(self, line: int) -> cpp.IfStmt:
        self.expect("(")
        condition = self.expression()
        self.expect(")")
        yes = self.statement()
        return cpp.IfStmt(line, condition, yes, self.statement() if self.accept("else") else None)

    def _for(self, line: int) -> cpp.AstNode:
        self.expect("(")
        start = self.at
        try:
            kind = self.type()
            name = self.identifier()
            if self.accept(":"):
                items = self.expression()
                self.expect(")")
                return cpp.RangeForStmt(line, kind, name, items, self.statement())
        except (NotHere, InputError):
            pass
        self.at = start
        first = None if self.accept(";") else self.statement()
        condition = None if self.token.text == ";" else self.expression()
        self.expect(";")
        step = None if self.token.text == ")" else self.expression()
        self.expect(")")
        return cpp.ForStmt(line, first, condition, step, self.statement())

    def _switch(self, line: int) -> cpp.SwitchStmt:
        self.expect("(")
        subject = self.expression()
        self.expect(")")
        self.expect("{")
        labels: list[tuple[cpp.AstNode | None, int]] = []
        body: list[cpp.AstNode] = []
        while not self.accept("}"):
            if self.accept("case"):
                labels.append((self.choice_label(), len(body)))
            elif self.accept("default"):
                self.expect(":")
                labels.append((None, len(body)))
            else:
                body.append(self.statement())
        return cpp.SwitchStmt(line, subject, tuple(labels), tuple(body))

    def choice_label(self) -> cpp.AstNode:
        label = self.binary(0)
        self.expect(":")
        return label

    def unit(self) -> cpp.TranslationUnit:
        """Read a file. What is neither function, OpDef constructor, global nor module is skipped."""
        functions: dict[str, cpp.FunctionDecl] = {}
        refused: dict[str, InputError] = {}
        constructors: dict[str, cpp.FunctionDecl] = {}
        globals_: list[cpp.VarDecl] = []
        exports: dict[str, str] = {}
        while self.token.kind != "end":
            if self.accept("namespace", "using", "}"):
                while self.token.kind == "name" or self.token.text == "::":
                    self.take()
                self.accept("{", ";", "=")
            elif self.accept("class", "struct"):
                self._class(constructors)
            elif self.token.text == "PYBIND11_MODULE":
                exports |= self._module()
            else:
                self._global(functions, globals_, refused)
        return cpp.TranslationUnit(functions, constructors, tuple(globals_), exports, refused)

    def _class(self, constructors: dict[str, cpp.FunctionDecl]) -> None:
        name = self.identifier()
        bases = []
        while self.token.text not in ("{", ";") and self.token.kind != "end":
            bases.append(self.take().text)
        if not self.accept("{"):
            self.accept(";")
            return
        if "OpDef" not in bases:
            self._skip_braces()
            return
        while not self.accept("}"):
            if self.token.text == name and self.peek().text == "(":
                self.take()
                self.take()
                params = self.params()
                while self.token.text != "{":
                    self.take()
                constructors[name] = cpp.FunctionDecl(name, params, self.block())
            elif self.accept("{"):
                self._skip_braces()
            elif self.take().kind == "end":
                raise self.refuse(f"class {name} does not end")
        self.accept(";")

    def _module(self) -> dict[str, str]:
        """Read `m.def("name", &function, ...)` lines."""
        while not self.accept("{"):
            self.take()
        exports: dict[str, str] = {}
        while not self.accept("}"):
            if self.token.text == "def" and self.peek().text == "(" and self.peek(2).kind == "string":
                function = self.peek(5).text if self.peek(4).text == "&" else self.peek(4).text
                exports[self.peek(2).text.strip('"')] = function
            if self.take().kind == "end":
                raise self.refuse("PYBIND11_MODULE does not end")
        return exports

    def _global(
        self,
        functions: dict[str, cpp.FunctionDecl],
        globals_: list[cpp.VarDecl],
        refused: dict[str, InputError],
    ) -> None:
        start = self.at
        try:
            declared = self._function(refused)
        except NotHere:
            declared = None
        if declared is not None:
            functions[declared.name] = declared
            return
        self.at = start
        try:
            variable = self.declaration()
        except InputError:
            variable = None
        if isinstance(variable, cpp.VarDecl):
            globals_.append(variable)
            return
        self.at = start
        self._skip_one()

    def _function(self, refused: dict[str, InputError]) -> cpp.FunctionDecl | None:
        """Parse a function definition. One that cannot be read is noted: it may not be needed."""
        self.type()
        if self.token.kind != "name" or self.peek().text != "(":
            return None
        name = self.take().text
        self.take()
        try:
            params = self.params()
            self.accept("const", "noexcept")
            if self.token.text != "{":
                return None
            return cpp.FunctionDecl(name, params, self.block())
        except InputError as e:
            refused[name] = e
            return None

    def _skip_one(self) -> None:
        """Skip to the end of a declaration that is of no use here."""
        while self.token.kind != "end":
            text = self.take().text
            if text == ";":
                return
            if text == "{":
                self._skip_braces()
                self.accept(";")
                return

    def _skip_braces(self) -> None:
        depth = 1
        while depth and self.token.kind != "end":
            token = self.take()
            depth += (token.text == "{") - (token.text == "}") if token.kind == "op" else 0


def parse(text: str, where: str) -> cpp.TranslationUnit:
    """Parse a C++ file. Raises InputError with file and line where it cannot be read."""
    return Parser(tokenize(text, where), where).unit()

import { type CST, Lexer, type LineCounter, Parser } from "yaml";

/** Nesting is bounded before the tree is built: building it is recursive and would exhaust the stack. */
export const MAX_NESTING = 100;

/** The tokens of a YAML text, or null where it is nested deeper than `MAX_NESTING`. Fills `lines`. */
export function tokensOf(text: string, lines: LineCounter): CST.Token[] | null {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_NESTING) return null;
  }
  tokens.push(...parser.end());
  return tokens;
}

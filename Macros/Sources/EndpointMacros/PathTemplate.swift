import SwiftDiagnostics
import SwiftSyntax

/// The placeholders and the faults of the path in an attribute.
struct PathTemplate {
    struct Placeholder {
        let name: String
        /// The position of the opening brace.
        let position: AbsolutePosition
    }

    let literal: StringLiteralExprSyntax
    private(set) var placeholders: [Placeholder] = []
    /// The names after a colon, which other frameworks use for placeholders.
    private(set) var colonNames: [Placeholder] = []
    private(set) var faults: [Diagnostic] = []

    /// The text, and the position of its first byte.
    private let text: Substring.UTF8View
    private let start: AbsolutePosition

    /// Reads an attribute. Fails if it has no usable path, which is reported.
    init?(_ node: AttributeSyntax, report: (Diagnostic) -> Void) {
        guard let argument = node.arguments?.as(LabeledExprListSyntax.self)?.first?.expression else { return nil }
        guard let literal = argument.as(StringLiteralExprSyntax.self), literal.openingQuote.tokenKind == .stringQuote else {
            report(Diagnostic(node: argument, message: Fault("the path is a string literal on one line")))
            return nil
        }
        guard literal.segments.allSatisfy({ $0.is(StringSegmentSyntax.self) }) else {
            report(.interpolation(in: literal))
            return nil
        }
        self.literal = literal
        text = Substring(literal.segments.description).utf8
        start = literal.segments.position
        readPlaceholders()
        readColons()
        checkText()
    }

    private mutating func readPlaceholders() {
        var rest = text
        while let mark = rest.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) {
            let inner = rest[mark...].dropFirst()
            rest = inner
            guard text[mark] == UInt8(ascii: "{") else {
                add("'}' without '{'", at: mark, fix: "Remove '}'", replacing: mark..<inner.startIndex, with: "")
                continue
            }
            let end = inner.firstIndex { "{}/?#".utf8.contains($0) } ?? text.endIndex
            let name = String(inner[..<end]) ?? ""
            guard end != text.endIndex, text[end] == UInt8(ascii: "}") else {
                if name.isEmpty {
                    add("'{' without a name and '}'", at: mark, fix: "Remove '{'", replacing: mark..<inner.startIndex, with: "")
                } else {
                    add("'{' without '}'", at: mark, fix: "Add '}'", replacing: end..<end, with: "}")
                }
                continue
            }
            rest = inner[end...].dropFirst()
            if Self.isName(name) {
                placeholders.append(Placeholder(name: name, position: position(of: mark)))
            } else {
                add("'{\(name)}' is not a placeholder: its name has letters, digits, '_' and '-'", at: mark)
            }
        }
    }

    private mutating func readColons() {
        for segment in Substring(text).split(separator: "/") where segment.first == ":" && Self.isName(String(segment.dropFirst())) {
            colonNames.append(Placeholder(name: String(segment.dropFirst()), position: position(of: segment.startIndex)))
        }
    }

    private mutating func checkText() {
        let path = Substring(text)
        if path.contains("://") || path.hasPrefix("//") {
            add("a path, not an address: the host is that of the endpoint's tag", at: text.startIndex)
        } else if let index = text.firstIndex(where: { $0 == UInt8(ascii: "\\") || $0 < 0x20 || $0 == 0x7F }) {
            add("a path has no escapes and no control characters", at: index)
        } else if let index = text.firstIndex(of: UInt8(ascii: "#")) {
            add("a fragment is never sent", at: index, fix: "Remove it", replacing: index..<text.endIndex, with: "")
        }
    }

    /// Whether a text is the name of a placeholder, by the rules of the library.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }

    private func position(of index: String.Index) -> AbsolutePosition {
        start.advanced(by: text.distance(from: text.startIndex, to: index))
    }

    private mutating func add(
        _ message: String, at index: String.Index, fix: String? = nil, replacing range: Range<String.Index>? = nil, with new: String = ""
    ) {
        var fixIts: [FixIt] = []
        if let fix, let range {
            let range = position(of: range.lowerBound)..<position(of: range.upperBound)
            fixIts = [FixIt(fix, replacing: range, with: new, in: literal)]
        }
        faults.append(Diagnostic(node: literal, position: position(of: index), message: Fault(message), fixIts: fixIts))
    }
}

extension Diagnostic {
    /// Returns the fault of `"/rooms/\(room)"`, which needs a placeholder instead.
    fileprivate static func interpolation(in literal: StringLiteralExprSyntax) -> Diagnostic {
        let segments = literal.segments.map { segment in
            guard let inserted = segment.as(ExpressionSegmentSyntax.self)?.expressions.first?.expression else { return segment.description }
            return "{\(inserted.trimmedDescription.split(separator: ".").last ?? "")}"
        }
        let range = literal.segments.position..<literal.segments.endPosition
        return Diagnostic(
            node: literal, message: Fault("the path has placeholders such as '{room}' in place of interpolations"),
            fixIts: [FixIt("Write placeholders", replacing: range, with: segments.joined(), in: literal)])
    }
}

/// The path of a call on its host.
///
/// ```swift
/// API.tag(.forum).get("/rooms/\(room)/users")      // room "a/b": /rooms/a%2Fb/users
/// ```
///
/// Each value interpolated into a literal is percent-encoded as a whole. It becomes one segment, or one value after `?`, whatever it contains.
/// The rest of the literal is part of the path as it stands. So is the text of a `String` variable, as `Path(text)`, or as `\(raw: text)`
/// within a literal.
///
/// A value that is `nil`, empty, `.` or `..` fails the call. So does a value that looks like part of a path. At the beginning of the literal,
/// that is a value with `/` or `?`. Elsewhere, it is a value that begins with `/` or `?` and does not follow `/` or `=`.
public struct Path: Sendable {
    /// The path with its encoded values, except those whose text depends on the style of the call.
    package let text: String
    /// The places of the interpolated values in ``text``.
    let values: PathValues
    /// The values and faults that ``text`` does not contain, or `nil` if there are none.
    private let rest: Box<Rest>?

    fileprivate struct Rest: Equatable {
        var values: [StyledValue] = []
        var fault: PathTemplate.Fault?
    }

    /// A value whose text depends on the style of the call.
    fileprivate struct StyledValue: Equatable {
        let node: ParameterNode
        /// The position in the text, in bytes.
        let offset: Int
        let name: String
    }

    /// Whether `text` is the whole path, without values still to be encoded.
    var isSettled: Bool { rest == nil }

    /// Creates a path from text, in which `/`, `?` and `{name}` have their meaning.
    public init(_ text: String) {
        self.text = text
        values = PathValues()
        rest = nil
    }

    /// Returns the whole path.
    package func text(in style: ParameterStyle) throws(PathTemplate.Fault) -> String {
        guard let rest = rest?.value else { return text }
        if let fault = rest.fault { throw fault }
        var whole = ""
        var start = text.utf8.startIndex
        for value in rest.values {
            let end = text.utf8.index(text.utf8.startIndex, offsetBy: value.offset)
            whole += text[start..<end]
            let text = try PathTemplate.text(of: value.node, name: value.name, style: style)
            whole += try Self.encoded(text, behind: whole, named: value.name)
            start = end
        }
        return whole + text[start...]
    }

    /// The whole path in the default style, or the error of an invalid path.
    package var settled: Result<String, APIError> {
        do throws(PathTemplate.Fault) {
            return .success(try text(in: ParameterStyle()))
        } catch {
            return .failure(.invalid("path", "\(error.name): \(error.reason)"))
        }
    }

    /// Encodes a value as one segment, or as one value of the query.
    fileprivate static func encoded(_ value: String, behind text: String, named name: String) throws(PathTemplate.Fault) -> String {
        let (slash, mark) = (UInt8(ascii: "/"), UInt8(ascii: "?"))
        if text.isEmpty {
            if value.utf8.contains(where: { $0 == slash || $0 == mark }) {
                throw PathTemplate.Fault(name: name, reason: "the value contains \"/\" or \"?\", \(advice)")
            }
        } else if let first = value.utf8.first, first == slash || first == mark {
            guard let last = text.utf8.last, last == slash || last == UInt8(ascii: "=") else {
                throw PathTemplate.Fault(name: name, reason: "the value begins with \"\(first == slash ? "/" : "?")\", \(advice)")
            }
        }
        return try PathTemplate.segment(value, name: name)
    }

    private static let advice = "which would be encoded; write \\(raw: text) for a text that is path already"
}

extension Path: ExpressibleByStringInterpolation {
    /// Creates a path from a literal without values.
    public init(stringLiteral text: String) {
        self.init(text)
    }

    /// Creates a path from a literal, whose values are encoded.
    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        values = stringInterpolation.values
        rest = stringInterpolation.rest.map { Box($0) }
    }

    /// The pieces of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var values = PathValues()
        fileprivate var rest: Rest?
        /// The last piece of the literal, which identifies the next value in messages.
        private var literal = ""

        /// Begins without a piece.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends a piece of the literal.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
            if !literal.isEmpty { self.literal = literal }
        }

        /// Appends a text, percent-encoded as a whole.
        public mutating func appendInterpolation(_ value: String) {
            let start = text.utf8.count
            do throws(PathTemplate.Fault) {
                text += try Path.encoded(value, behind: isAtStart ? "" : text.isEmpty ? "…" : text, named: name)
            } catch {
                note(error)
            }
            values.note(from: start, to: text.utf8.count)
        }

        /// Appends a whole number.
        public mutating func appendInterpolation(_ value: Int) {
            let start = text.utf8.count
            text += value.description
            values.note(from: start, to: text.utf8.count)
        }

        /// Appends a whole number.
        public mutating func appendInterpolation(_ value: some BinaryInteger) {
            let start = text.utf8.count
            text += String(value)
            values.note(from: start, to: text.utf8.count)
        }

        /// Appends a path, unchanged.
        public mutating func appendInterpolation(_ value: Path) {
            append(value)
        }

        /// Appends a value of any type, percent-encoded as a whole. A ``ParameterValue`` is written in the style of the call, and any other
        /// value as its description. `nil` fails the call.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            append(any: value)
        }

        /// Appends a value, or a text in place of `nil`, percent-encoded as a whole.
        public mutating func appendInterpolation<Value>(_ value: Value?, default text: @autoclosure () -> some StringProtocol) {
            if let value { append(any: value) } else { appendInterpolation(String(text())) }
        }

        /// Appends a text without encoding it.
        public mutating func appendInterpolation(raw text: some StringProtocol) {
            self.text += text
        }

        private var isAtStart: Bool { text.isEmpty && rest == nil }

        /// The description of the value's position, for messages.
        private var name: String { isAtStart ? "at the beginning" : "behind \"\(literal.suffix(40))\"" }

        private mutating func append(any value: Any) {
            switch value {
            case let optional as any OptionalValue:
                if let wrapped = optional.wrapped {
                    append(any: wrapped)
                } else {
                    note(PathTemplate.Fault(name: name, reason: "the value is nil"))
                }
            case let path as Path: append(path)
            case let text as String: appendInterpolation(text)
            case let value as any ParameterValue: append(value.parameterNode)
            case is any Collection where !(value is any StringProtocol):
                note(PathTemplate.Fault(name: name, reason: "the value is not a single value"))
            default: appendInterpolation(String(describing: value))
            }
        }

        private mutating func append(_ node: ParameterNode) {
            switch node {
            case .bool, .date, .data:
                let offset = text.utf8.count
                let value = StyledValue(node: node, offset: offset, name: name)
                rest = rest ?? Rest()
                rest?.values.append(value)
                values.note(from: offset, to: offset)
            case .null, .integer, .unsigned, .double, .decimal, .number, .string, .array, .object:
                do throws(PathTemplate.Fault) {
                    appendInterpolation(try PathTemplate.text(of: node, name: name, style: ParameterStyle()))
                } catch {
                    note(error)
                }
            }
        }

        private mutating func append(_ path: Path) {
            let start = text.utf8.count
            text += path.text
            values.note(path.values, at: start)
            guard let inner = path.rest?.value else { return }
            rest = rest ?? Rest()
            rest?.values += inner.values.map { StyledValue(node: $0.node, offset: start + $0.offset, name: $0.name) }
            if let fault = inner.fault { note(fault) }
        }

        /// Records the fault of a value, unless an earlier value has one.
        private mutating func note(_ fault: PathTemplate.Fault) {
            var noted = rest ?? Rest()
            noted.fault = noted.fault ?? fault
            rest = noted
        }
    }
}

extension Path: Hashable {
    /// Returns whether two paths have the same text and the same values.
    public static func == (first: Path, second: Path) -> Bool {
        first.text == second.text && first.rest?.value == second.rest?.value
    }

    /// Feeds the text into the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension Path: Encodable {
    /// Encodes the path as text.
    public func encode(to encoder: any Encoder) throws {
        try shown.encode(to: encoder)
    }
}

extension Path: CustomStringConvertible, CustomReflectable {
    /// The path without secrets.
    public var description: String { Redaction.current.redact(place: shown) }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// The path in the default style, or its text alone if it is invalid.
    package var shown: String {
        (try? text(in: ParameterStyle())) ?? text
    }
}

extension Path.StringInterpolation: CustomStringConvertible, CustomReflectable {
    /// The number of bytes.
    public var description: String { "\(text.utf8.count) bytes of a path" }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

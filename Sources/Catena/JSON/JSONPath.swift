/// The way to a value in a document: keys joined by dots, places in arrays in brackets.
///
/// `errcode`, `result.code`, `error.details[0].code` and, where the document is an array, `[0].code` are paths. A key in a path
/// has no dot and no bracket. `*_response.code` goes through the first key that ends with `_response`, for backends that name it after the
/// method.
struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    enum Step: Hashable, Sendable {
        case key(String)
        /// The first key that ends like this and has no step of its own.
        case ending(String)
        case index(Int)
    }

    /// Never empty.
    let steps: [Step]
    let description: String

    /// Stands where a text is no path, so that the others keep their places. It leads to a key that nobody has.
    static let nowhere = JSONPath(steps: [.key("\0")], description: "")

    private init(steps: [Step], description: String) {
        self.steps = steps
        self.description = description
    }

    /// Reads a path.
    /// - Throws: `JSONPathError` with the text and the reason.
    init(_ text: String) throws(JSONPathError) {
        var steps: [Step] = []
        var rest = text[...]
        repeat {
            // A key, unless brackets begin the path.
            if !(steps.isEmpty && rest.first == "[") {
                let key = rest.prefix { !".[]".contains($0) }
                if key.isEmpty { throw JSONPathError(path: text, reason: "a key is empty") }
                if key.first == "*" {
                    if key.count == 1 { throw JSONPathError(path: text, reason: "an asterisk needs what the key ends with") }
                    steps.append(.ending(String(key.dropFirst())))
                } else {
                    steps.append(.key(String(key)))
                }
                rest = rest.dropFirst(key.count)
            }
            while rest.first == "[" {
                let digits = rest.dropFirst().prefix { $0 != "]" }
                rest = rest.dropFirst(1 + digits.count)
                guard rest.first == "]", let index = Int(digits), index >= 0, String(index) == digits else {
                    throw JSONPathError(path: text, reason: "brackets need the place of an element, such as [0]")
                }
                steps.append(.index(index))
                rest = rest.dropFirst()
            }
            if rest.isEmpty {
                self.steps = steps
                description = text
                return
            }
        } while rest.popFirst() == "."
        throw JSONPathError(path: text, reason: "a dot, an opening bracket or the end is expected after a key or a bracket")
    }
}

/// Why a text is no `JSONPath`.
struct JSONPathError: Error, Equatable, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "\"\(path)\" is not a path: \(reason)" }
}

/// A path to a value in a document: keys joined by dots, with array indices in brackets.
///
/// Examples are `errcode`, `result.code`, `error.details[0].code` and, for a document that is an array, `[0].code`. A key in a path contains neither
/// dots nor brackets. `*_response.code` matches the first key that ends with `_response`, for backends that name the key after the method.
struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    enum Step: Hashable, Sendable {
        case key(String)
        /// The first key with this ending that has no step of its own.
        case ending(String)
        case index(Int)
    }

    /// The steps, at least one.
    let steps: [Step]
    let description: String

    /// A placeholder for an invalid path, which keeps the indices of the other paths. It matches no real key.
    static let nowhere = JSONPath(steps: [.key("\0")], description: "")

    private init(steps: [Step], description: String) {
        self.steps = steps
        self.description = description
    }

    /// Parses a path.
    ///
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

/// An error of parsing a `JSONPath`.
struct JSONPathError: Error, Equatable, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "\"\(path)\" is not a path: \(reason)" }
}

extension JSON {
    /// Returns the value at the end of some steps.
    func value(at steps: ArraySlice<JSONPath.Step>) -> JSON? {
        steps.reduce(self) { value, step in
            switch (step, value?.storage) {
            case (.key(let key), .object(let object)): object[key]
            case (.ending(let ending), .object(let object)): object.members.first { $0.key.hasSuffix(ending) && $0.key != ending }?.value
            case (.index(let index), .array(let elements)) where elements.indices.contains(index): elements[index]
            default: nil
            }
        }
    }
}

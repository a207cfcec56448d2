import Catena

/// An argument of a tool. The schema that agents read and the check of what they send follow from it.
struct AgentArgument: Sendable {
    enum Kind: Sendable {
        case text
        /// A whole number that is not negative.
        case number
        case truth
        case choice([String])
        /// An object whose values are texts.
        case texts

        func fits(_ value: JSON) -> Bool {
            switch self {
            case .text: value.string != nil
            case .number: value.int.map { $0 >= 0 } ?? false
            case .truth: value.bool != nil
            case .choice(let choices): value.string.map(choices.contains) ?? false
            case .texts: value.object?.members.allSatisfy { $0.value.string != nil } ?? false
            }
        }

        var words: String {
            switch self {
            case .text: "a text"
            case .number: "a whole number that is not negative"
            case .truth: "true or false"
            case .choice(let choices): "one of \(choices.joined(separator: ", "))"
            case .texts: "an object whose values are texts"
            }
        }
    }

    let name: String
    let kind: Kind
    let words: String
    let isRequired: Bool

    init(_ name: String, _ kind: Kind, _ words: String, isRequired: Bool = false) {
        (self.name, self.kind, self.words, self.isRequired) = (name, kind, words, isRequired)
    }

    /// Writes the argument as a property of a JSON Schema.
    func write(into output: inout JSONOutput) {
        output.key(text: name)
        output.object { output in
            switch kind {
            case .text: output.member("type", "string")
            case .number:
                output.member("type", "integer")
                output.member("minimum", 0)
            case .truth: output.member("type", "boolean")
            case .choice(let choices):
                output.member("type", "string")
                output.key("enum")
                output.array(choices) { $0.string($1) }
            case .texts:
                output.member("type", "object")
                output.key("additionalProperties")
                output.object { $0.member("type", "string") }
            }
            output.member("description", words)
        }
    }
}

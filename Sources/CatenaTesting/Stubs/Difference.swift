import Catena

/// A difference between a call and a stub or an expectation.
struct Difference: Sendable {
    /// A clause that describes the call, such as "the path is /v1/user".
    let text: String
    /// The weight of the difference when the nearest stub is searched.
    var weight = 10
}

extension [Difference] {
    var weight: Int { reduce(0) { $0 + $1.weight } }

    /// All differences in one sentence.
    var text: String { map(\.text).joined(separator: "; ") }
}

extension Difference {
    fileprivate static let longest = 120

    /// Returns the edit distance (Levenshtein) of the beginnings of two texts.
    static func distance(_ one: String, _ other: String) -> Int {
        let one = Array(one.prefix(longest))
        let other = Array(other.prefix(longest))
        var row = Array(0...other.count)
        for (line, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, candidate) in other.enumerated() {
                let changed = diagonal + (letter == candidate ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}

/// Describes differing values without the secrets of the call, which the redaction of its tag knows by name and by value.
struct DifferenceWords {
    private let redaction: Redaction

    init(of request: HTTPRequest?) { redaction = request?.redaction ?? .current }

    func isSecret(_ name: String) -> Bool { redaction.isSecret(name: name) }

    /// Returns a difference between two values. A secret's values are not shown.
    func value(of name: String, in subject: String, is actual: String, not expected: String, isSecret: Bool = false) -> Difference {
        if isSecret || self.isSecret(name) {
            return Difference(text: "\(subject) is not the expected one (it is not shown, since it looks like a secret)")
        }
        return Difference(text: "\(subject) is \(shown(actual)), not \(shown(expected))")
    }

    /// Returns a text without its secrets, cut to one line.
    func shown(_ text: String) -> String {
        let text = redaction.redact(text: text)
        return text.count > Difference.longest ? text.prefix(Difference.longest) + "…" : text
    }
}

/// Finds the first difference between two JSON values.
struct JSONComparison {
    /// Whether objects may have members beyond the expected ones.
    let isPart: Bool
    let words: DifferenceWords

    func difference(_ actual: JSON, _ expected: JSON) -> Difference? {
        difference(actual, expected, at: "", isSecret: false)
    }

    private func difference(_ actual: JSON, _ expected: JSON, at path: String, isSecret: Bool) -> Difference? {
        if let members = expected.object, let actual = actual.object {
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                let inner = path.isEmpty ? key : "\(path).\(key)"
                guard let found = actual[key] else { return Difference(text: "the body has no \(inner)") }
                let isSecret = isSecret || words.isSecret(key)
                if let difference = difference(found, value, at: inner, isSecret: isSecret) { return difference }
            }
            guard !isPart, let extra = actual.keys.filter({ members[$0] == nil }).min() else { return nil }
            return Difference(text: "the body has \(path.isEmpty ? extra : "\(path).\(extra)") too")
        }
        if let elements = expected.array, let actual = actual.array {
            guard actual.count == elements.count else {
                return Difference(text: "\(subject(path)) has \(actual.count) elements, not \(elements.count)")
            }
            for (index, (found, element)) in zip(actual, elements).enumerated() {
                if let difference = difference(found, element, at: "\(path)[\(index)]", isSecret: isSecret) { return difference }
            }
            return nil
        }
        if actual == expected { return nil }
        return words.value(of: "", in: subject(path), is: "\(actual)", not: "\(expected)", isSecret: isSecret)
    }

    private func subject(_ path: String) -> String {
        path.isEmpty ? "the body" : "the body's \(path)"
    }
}

import Catena

/// Finds the first difference between two JSON values.
struct JSONComparison {
    /// Whether objects may have members beyond the expected ones.
    let isPart: Bool

    func difference(_ actual: JSON, _ expected: JSON) -> Difference? {
        difference(actual, expected, at: "", isSecret: false)
    }

    private func difference(_ actual: JSON, _ expected: JSON, at path: String, isSecret: Bool) -> Difference? {
        if let members = expected.object, let actual = actual.object {
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                let inner = path.isEmpty ? key : "\(path).\(key)"
                guard let found = actual[key] else { return Difference(text: "the body has no \(inner)") }
                let isSecret = isSecret || Redaction.standard.isSecret(name: key)
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
        return .value(of: "", in: subject(path), is: "\(actual)", not: "\(expected)", isSecret: isSecret)
    }

    private func subject(_ path: String) -> String {
        path.isEmpty ? "the body" : "the body's \(path)"
    }
}

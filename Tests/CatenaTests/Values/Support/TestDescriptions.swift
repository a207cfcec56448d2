public import CatenaLoopback
public import Testing

@testable public import Catena

// The output of the tests shows arguments of these types in one line, because their whole description takes up to forty.

extension Envelope: CustomTestStringConvertible {
    public var testDescription: String { line(self) }
}

extension RetryPolicy: CustomTestStringConvertible {
    public var testDescription: String { line(self) }
}

extension CachePolicy: CustomTestStringConvertible {
    public var testDescription: String { line(self) }
}

extension StubReply: CustomTestStringConvertible {
    public var testDescription: String { line(self) }
}

/// Returns the beginning of the description of a value.
private func line(_ value: Any) -> String {
    let text = String(describing: value)
    return text.count > 120 ? text.prefix(120) + "…" : text
}

/// The value of a property that fills a placeholder. Expanded macros use it, so that the compiler rejects a type that cannot fill one.
///
/// A macro sees only the written type. These overloads see the actual type, such as an optional behind a typealias, or an inferred one.
public struct PathValue<Value> {
    /// The value of the property.
    public let value: Value

    init(_ value: Value) { self.value = value }
}

extension EndpointPart {
    /// Accepts a single value.
    public static func path<Given>(_ value: Given) -> PathValue<Given> { PathValue<Given>(value) }

    /// Rejects an optional.
    public static func path<Given>(_ value: Given?) -> OptionalPathValue { OptionalPathValue() }

    /// Rejects an array.
    public static func path<Given>(_ values: [Given]) -> SeveralPathValues { SeveralPathValues() }

    /// Rejects a dictionary.
    public static func path<Key, Given>(_ values: [Key: Given]) -> SeveralPathValues { SeveralPathValues() }
}

/// The result for an optional, which cannot fill a placeholder.
public struct OptionalPathValue {
    /// Unavailable, because an optional may have no value.
    @available(*, unavailable, message: "a property that fills a placeholder is not optional")
    public var value: String { "" }
}

/// The result for several values, which cannot fill a placeholder.
public struct SeveralPathValues {
    /// Unavailable, because a placeholder takes a single value.
    @available(*, unavailable, message: "a property that fills a placeholder is a single value")
    public var value: String { "" }
}

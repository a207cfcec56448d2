/// What a property is that fills a placeholder: what macros write, so that the compiler refuses what cannot fill one.
///
/// The macro itself sees only how a type is written. These see what it is: an optional behind a typealias, or one that is inferred.
public struct PathValue<Value> {
    /// The value of the property.
    public let value: Value

    init(_ value: Value) { self.value = value }
}

extension EndpointPart {
    /// A value.
    public static func path<Given>(_ value: Given) -> PathValue<Given> { PathValue<Given>(value) }

    /// An optional, which may have no value.
    public static func path<Given>(_ value: Given?) -> OptionalPathValue { OptionalPathValue() }

    /// Several values.
    public static func path<Given>(_ values: [Given]) -> SeveralPathValues { SeveralPathValues() }

    /// Several values.
    public static func path<Key, Given>(_ values: [Key: Given]) -> SeveralPathValues { SeveralPathValues() }
}

/// An optional where a placeholder needs a value.
public struct OptionalPathValue {
    /// There may be none.
    @available(*, unavailable, message: "a property that fills a placeholder is not optional")
    public var value: String { "" }
}

/// Several values where a placeholder takes one.
public struct SeveralPathValues {
    /// There may be several.
    @available(*, unavailable, message: "a property that fills a placeholder is a single value")
    public var value: String { "" }
}

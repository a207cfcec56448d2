/// The name of a backend, under which its profile is configured.
///
/// A tag selects the settings that the calls to one backend share: host, common parameters and headers, envelope, retry and limits.
///
/// ```swift
/// extension Tag {
///     static let forum: Tag = "forum"
/// }
/// ```
public struct Tag: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, as it is shown in messages and logs.
    public let name: String

    /// Makes a tag from a name that is only known at run time.
    public init(_ name: String) {
        self.name = name
    }

    public init(stringLiteral name: String) {
        self.name = name
    }

    public var description: String { name }
}

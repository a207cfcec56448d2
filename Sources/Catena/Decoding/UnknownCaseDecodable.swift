/// An enum with a case for unknown raw values, which backends may add. Lenient decoding uses that case; strict decoding fails.
///
/// ```swift
/// enum Role: String, UnknownCaseDecodable {
///     case admin, member, other
///     static let unknownCase = Role.other
/// }
///
/// forum.decoding = .lenient
/// ```
public protocol UnknownCaseDecodable: Decodable {
    /// The case for unknown raw values.
    static var unknownCase: Self { get }
}

/// An enum that has a case for raw values which it does not know, as backends add them. Lenient decoding takes it; strict decoding fails.
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
    /// What stands for what is not known.
    static var unknownCase: Self { get }
}

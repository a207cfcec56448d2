/// The age by which a call replaces the older calls with its id.
struct Replacement: Sendable {
    /// The number that a loop got when it began, or `nil` for the number of the call itself.
    var number: UInt64?
}

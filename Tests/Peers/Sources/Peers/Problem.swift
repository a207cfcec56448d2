/// Why a measurement cannot be made, or what a call brought that it should not.
struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

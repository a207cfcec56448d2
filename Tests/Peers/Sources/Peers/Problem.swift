/// The reason why a measurement is impossible, or the fault of a response.
struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

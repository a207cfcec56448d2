/// An array whose elements are decoded one by one: those that cannot be decoded are left out and reported.
///
/// ```swift
/// struct Page: Decodable, Sendable {
///     @LossyArray var users: [User]
/// }
///
/// let page = try await API.tag(.forum).get("/users").value(as: Page.self)
/// page.$users        // which elements are missing, and why
///
/// let users = try await API.tag(.forum).get("/friends").value(as: LossyArray<User>.self).wrappedValue
/// ```
///
/// What is no array, null included, is an error as with any array.
@propertyWrapper
public struct LossyArray<Element> {
    /// An element that was left out.
    public struct Loss: Sendable {
        /// Its place in the array as it was sent.
        public let index: Int
        /// Why the element could not be decoded.
        public let error: any Error
    }

    /// The elements that could be decoded, in order.
    public var wrappedValue: [Element]
    /// Those that could not.
    public private(set) var projectedValue: [Loss] = []

    /// Makes an array from which nothing is left out.
    public init(wrappedValue: [Element]) {
        self.wrappedValue = wrappedValue
    }
}

extension LossyArray: Decodable where Element: Decodable {
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        wrappedValue = []
        if let count = container.count { wrappedValue.reserveCapacity(min(count, 1024)) }
        while !container.isAtEnd {
            let index = container.currentIndex
            switch try container.decode(Trial<Element>.self).result {
            case .success(let element): wrappedValue.append(element)
            case .failure(let error): projectedValue.append(Loss(index: index, error: error))
            }
        }
    }
}

/// Never fails, so that the container goes on to the next element.
private struct Trial<Element: Decodable>: Decodable {
    let result: Result<Element, any Error>

    init(from decoder: any Decoder) {
        // Through a container, since decoders treat dates and the like specially there.
        result = Result { try decoder.singleValueContainer().decode(Element.self) }
    }
}

extension LossyArray: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }
}

extension LossyArray: Sendable where Element: Sendable {}

extension LossyArray: Equatable where Element: Equatable {
    public static func == (left: LossyArray, right: LossyArray) -> Bool { left.wrappedValue == right.wrappedValue }
}

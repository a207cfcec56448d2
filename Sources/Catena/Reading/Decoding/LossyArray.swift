/// An array that decodes its elements one by one. Elements that cannot be decoded are omitted and reported.
///
/// ```swift
/// struct Page: Decodable, Sendable {
///     @LossyArray var users: [User]
/// }
///
/// let page = try await API.tag(.forum).get("/users").value(as: Page.self)
/// page.$users        // the omitted elements, with their errors
///
/// let users = try await API.tag(.forum).get("/friends").value(as: LossyArray<User>.self).wrappedValue
/// ```
///
/// A value that is not an array, such as null, is an error, as with other arrays.
@propertyWrapper
public struct LossyArray<Element> {
    /// An omitted element.
    public struct Loss: Sendable {
        /// The index of the element in the received array.
        public let index: Int
        /// The error of decoding the element.
        public let error: any Error
    }

    /// The decoded elements, in order.
    public var wrappedValue: [Element]
    /// The omitted elements.
    public private(set) var projectedValue: [Loss] = []

    /// Creates an array without omitted elements.
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

/// Stores the result of decoding an element. It never throws, because a container does not advance after an error.
private struct Trial<Element: Decodable>: Decodable {
    let result: Result<Element, any Error>

    init(from decoder: any Decoder) {
        // Decode through a container, because decoders treat types such as dates specially there.
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

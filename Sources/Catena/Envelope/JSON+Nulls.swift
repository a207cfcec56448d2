import Foundation

extension JSON {
    /// A value without its members that are null, at every depth. Elements of arrays keep their places.
    public init(removingNulls value: JSON) {
        switch value.storage {
        case .object(let object):
            self.init(members: object.members.filter { !$0.value.isNull }.map { .init(key: $0.key, value: JSON(removingNulls: $0.value)) })
        case .array(let elements):
            self.init(array: elements.map { JSON(removingNulls: $0) })
        default:
            self = value
        }
    }
}

extension Envelope {
    /// Takes members that are null out of every payload before it is decoded, so that `[String: String]` can take what is left.
    public func removingNulls(_ removes: Bool = true) -> Envelope {
        changed { $0.removesNulls = removes }
    }
}

extension Reading {
    /// The payload without members that are null.
    mutating func removeNulls() {
        guard decoder == nil, let bytes = payloadBytes, let value = try? JSON(parsing: bytes) else { return }
        payload = .bytes(JSON(removingNulls: value).encoded)
    }
}

import Foundation

/// The payload of the servers, as the clients decode it.
struct Room: Codable, Sendable {
    let id: Int
    let name: String
    let topic: String
    let members: Int
    let isOpen: Bool

    static let example = Room(id: 7, name: "General", topic: "Everything else", members: 42, isOpen: true)
}

/// A handwritten envelope, for decoders without Catena.
struct Wrapped<Value: Codable & Sendable>: Codable, Sendable {
    let code: Int
    let msg: String
    let data: Value

    /// Returns the payload. Throws if the server reports an error.
    func checked() throws -> Value {
        guard code == 0 else { throw Problem("The server says \(code): \(msg)") }
        return data
    }
}

/// The bodies that the server has as files.
enum Payloads {
    private static let all = Dictionary(uniqueKeysWithValues: Scenario.Size.allCases.map { ($0, made($0)) })

    static func bytes(of size: Scenario.Size) -> Data { all[size] ?? Data() }

    private static func made(_ size: Scenario.Size) -> Data {
        guard let count = size.count else { return encoded(Room.example) }
        return encoded(
            (0..<count).map { Room(id: $0, name: "Room \($0)", topic: "Everything else", members: $0 % 90, isOpen: $0 % 3 > 0) })
    }

    private static func encoded(_ value: some Codable & Sendable) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(value) else { return Data() }
        return Data(#"{"code":0,"msg":"ok","data":"#.utf8) + data + Data("}".utf8)
    }
}

// Every call is checked, so that no client is fast because it returned nothing.
extension Room {
    func check() throws {
        guard id == Room.example.id, members == Room.example.members else { throw Problem("That is another room: \(self)") }
    }
}

extension [Room] {
    func check(_ size: Scenario.Size) throws {
        guard count == size.count, last?.id == count - 1 else { throw Problem("Those are other rooms: \(count)") }
    }
}

extension Scenario {
    func check(bodyLength: Int) throws {
        guard bodyLength == Payloads.bytes(of: size).count else { throw Problem("The body has \(bodyLength) bytes.") }
    }

    func check(status: Int) throws {
        guard status == 200 else { throw Problem("The status is \(status).") }
    }
}

import Foundation
import Security
import Testing

@testable import Catena

/// Serial, because all tests share one keychain.
@Suite("A credential in the keychain", .serialized) struct KeychainTests {
    private struct Token: Codable, Sendable, Equatable { let value: String }

    private let store = KeychainCredentialStore<Token>(service: "app.forum")

    init() {
        Keychain.reset()
    }

    @Test("is stored, replaced in place and removed")
    func life() throws {
        #expect(try store.load() == nil)
        try store.save(Token(value: "first"))
        #expect(try store.load() == Token(value: "first"))
        try store.save(Token(value: "second"))
        #expect(try KeychainCredentialStore<Token>(service: "app.forum").load() == Token(value: "second"))
        #expect(Keychain.items.count == 1)
        try store.save(nil)
        #expect(try store.load() == nil)
        #expect(Keychain.items.isEmpty)
        try store.save(nil)
    }

    @Test("does not affect credentials of other services and accounts")
    func apart() throws {
        let stores = [
            store, KeychainCredentialStore(service: "app.forum", account: "ann"), KeychainCredentialStore(service: "app.wallet"),
        ]
        for (index, store) in stores.enumerated() { try store.save(Token(value: "\(index)")) }
        try stores[1].save(nil)
        #expect(try stores.map { try $0.load()?.value } == ["0", nil, "2"])
    }

    @Test("is readable after the first unlock and on this device only, also after a replacement")
    func accessible() throws {
        for value in ["first", "second"] {
            try store.save(Token(value: value))
            #expect(Keychain.items.map { $0[kSecAttrAccessible] as? String } == [kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly])
        }
    }

    @Test("stays stored if the keychain refuses an operation, whose error has the status")
    func refused() throws {
        try store.save(Token(value: "kept"))
        Keychain.refuse(errSecInteractionNotAllowed)
        let attempts: [(String, () throws -> Void)] = [
            ("read", { _ = try store.load() }), ("write", { try store.save(Token(value: "new")) }), ("delete", { try store.save(nil) }),
        ]
        for (action, attempt) in attempts {
            let error = #expect(throws: CredentialStoreError.self) { try attempt() }
            #expect(error?.description == "The keychain refused to \(action): -25308.")
        }
        Keychain.refuse(nil)
        #expect(try store.load() == Token(value: "kept"))
    }

    @Test("of another type is an error that does not show it")
    func otherKind() throws {
        try KeychainCredentialStore<String>(service: "app.forum").save("secret")
        let error = #expect(throws: CredentialStoreError.self) { try store.load() }
        #expect(error?.description == "The keychain does not hold a credential for app.forum.")
    }
}

import Foundation
public import FoundationOfApple

public let kSecClass: CFString = "class"
public let kSecClassGenericPassword: CFString = "genp"
public let kSecAttrService: CFString = "svce"
public let kSecAttrAccount: CFString = "acct"
public let kSecAttrAccessible: CFString = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
public let kSecReturnData: CFString = "r_Data"
public let kSecMatchLimit: CFString = "m_Limit"
public let kSecMatchLimitOne: CFString = "m_LimitOne"
public let kSecUseDataProtectionKeychain: CFString = "nleg"
public let kSecValueData: CFString = "v_Data"

public let errSecSuccess: OSStatus = 0
public let errSecParam: OSStatus = -50
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308

/// The keychain of a device, as Apple documents it, for generic passwords with a service and an account.
public enum Keychain {
    public typealias Item = [String: any Sendable]

    private static let lock = NSLock()
    nonisolated(unsafe) private static var stored: [Item] = []
    nonisolated(unsafe) private static var refusal: OSStatus?

    /// The stored items.
    public static var items: [Item] { lock.withLock { stored } }

    /// Removes all items. With a status every call fails, as on a device that was not unlocked yet.
    public static func reset(refusing status: OSStatus? = nil) {
        lock.withLock { (stored, refusal) = ([], status) }
    }

    /// Makes every call fail with a status, or ends that with `nil`. Items stay stored.
    public static func refuse(_ status: OSStatus?) {
        lock.withLock { refusal = status }
    }

    /// Runs a function on the place of the item that a query finds, or on `nil`.
    fileprivate static func find(_ query: CFDictionary, _ body: (inout [Item], _ place: Int?) -> OSStatus) -> OSStatus {
        lock.withLock {
            if let refusal { return refusal }
            guard query[kSecClass] as? String == kSecClassGenericPassword, query[kSecUseDataProtectionKeychain] as? Bool == true else {
                return errSecParam
            }
            let place = stored.firstIndex { item in
                [kSecAttrService, kSecAttrAccount].allSatisfy { query[$0] == nil || query[$0] as? String == item[$0] as? String }
            }
            return body(&stored, place)
        }
    }

    /// Returns the attributes of a dictionary that are stored with an item.
    fileprivate static func attributes(_ dictionary: CFDictionary) -> Item {
        var item: Item = [:]
        for key in [kSecAttrService, kSecAttrAccount, kSecAttrAccessible] { item[key] = dictionary[key] as? String }
        item[kSecValueData] = dictionary[kSecValueData] as? Data
        return item.compactMapValues { $0 }
    }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    Keychain.find(query) { items, place in
        guard let place else { return errSecItemNotFound }
        // Returns only the requested data.
        if query[kSecReturnData] as? Bool == true { result?.pointee = items[place][kSecValueData] as AnyObject? }
        return errSecSuccess
    }
}

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    Keychain.find(attributes) { items, place in
        guard place == nil else { return errSecDuplicateItem }
        items.append(Keychain.attributes(attributes))
        return errSecSuccess
    }
}

public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    // Refuses attributes that are only valid in queries.
    if attributesToUpdate[kSecClass] != nil || attributesToUpdate[kSecMatchLimit] != nil { return errSecParam }
    return Keychain.find(query) { items, place in
        guard let place else { return errSecItemNotFound }
        items[place].merge(Keychain.attributes(attributesToUpdate)) { $1 }
        return errSecSuccess
    }
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    Keychain.find(query) { items, place in
        guard let place else { return errSecItemNotFound }
        items.remove(at: place)
        return errSecSuccess
    }
}

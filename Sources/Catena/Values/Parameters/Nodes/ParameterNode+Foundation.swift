import CatenaPlatform

extension ParameterNode {
    /// Creates a node from a number or a null of Foundation, such as those of `JSONSerialization`. Returns `nil` for any other value.
    init?(foundation value: Any) {
        #if !canImport(Darwin)
        // Foundation's essentials have none of these classes. If the app has full Foundation, they cast to Swift's types.
        guard type(of: value) is AnyClass else { return nil }
        let name = "\(type(of: value))"
        switch name {
        case "NSNull": self = .null
        case "__NSCFBoolean": self = .bool(value as? Bool ?? false)
        case "NSDecimalNumber", "NSNumber":
            if let integer = value as? Int64 {
                self = .integer(integer)
            } else if let unsigned = value as? UInt64 {
                self = .unsigned(unsigned)
            } else if name == "NSDecimalNumber", let decimal = value as? Decimal {
                self = .decimal(decimal)
            } else if let float = value as? Float {
                self = float.parameterNode
            } else if let double = value as? Double {
                self = .double(double)
            } else {
                return nil
            }
        default: return nil
        }
        #else
        if value is NSNull {
            self = .null
            return
        }
        guard let number = value as? NSNumber, type(of: value) is AnyClass else { return nil }
        // Only identity distinguishes `true` from a 1 of type `Int8`. There is one object for each boolean.
        if number === NSNumber(value: true) || number === NSNumber(value: false) {
            self = .bool(number.boolValue)
        } else if let number = number as? NSDecimalNumber {
            self = .decimal(number.decimalValue)
        } else {
            switch number.objCType.pointee {
            case CChar(UInt8(ascii: "d")): self = .double(number.doubleValue)
            case CChar(UInt8(ascii: "f")): self = number.floatValue.parameterNode
            case CChar(UInt8(ascii: "Q")): self = number.uint64Value.parameterNode
            default: self = .integer(number.int64Value)
            }
        }
        #endif
    }
}

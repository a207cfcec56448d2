import CatenaPlatform

/// The strategies of a `JSONEncoder` that ``PayloadWriter`` applies.
struct EncodingStrategies {
    enum Dates {
        case reference, seconds, milliseconds, iso8601
    }

    let dates: Dates
    let writesBase64: Bool
    let escapesSlashes: Bool
    let userInfo: [CodingUserInfoKey: any Sendable]
    private let unusual: (positive: String, negative: String, nan: String)?

    /// Returns `nil` for a subclass, and for strategies that are left to `JSONEncoder`.
    init?(_ encoder: JSONEncoder) {
        guard type(of: encoder) == JSONEncoder.self, case .useDefaultKeys = encoder.keyEncodingStrategy else { return nil }
        switch encoder.outputFormatting {
        case []: escapesSlashes = true
        case .withoutEscapingSlashes: escapesSlashes = false
        default: return nil
        }
        switch encoder.dateEncodingStrategy {
        case .deferredToDate: dates = .reference
        case .secondsSince1970: dates = .seconds
        case .millisecondsSince1970: dates = .milliseconds
        case .iso8601: dates = .iso8601
        default: return nil
        }
        switch encoder.dataEncodingStrategy {
        case .base64: writesBase64 = true
        case .deferredToData: writesBase64 = false
        default: return nil
        }
        switch encoder.nonConformingFloatEncodingStrategy {
        case .throw: unusual = nil
        case .convertToString(let positive, let negative, let nan): unusual = (positive, negative, nan)
        @unknown default: return nil
        }
        userInfo = encoder.userInfo
    }

    /// Returns the text for an infinite number or NaN, or `nil` if that is an error.
    func text(of value: Double) -> String? {
        guard let unusual else { return nil }
        return value.isNaN ? unusual.nan : value < 0 ? unusual.negative : unusual.positive
    }
}

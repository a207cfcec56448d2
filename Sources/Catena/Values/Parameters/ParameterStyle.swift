public import CatenaPlatform

/// Options for writing parameters as text, shared by query strings, form bodies and multipart fields.
///
/// JSON and property-list bodies follow ``keyCase`` and ``order``. JSON also follows ``dates`` and ``data``. Property lists follow ``nulls``,
/// because they have no null. The other options apply only to text.
///
/// ```swift
/// var style = ParameterStyle()
/// style.arrays = .repeat
/// style.dates = .milliseconds
/// ```
public struct ParameterStyle: Sendable {
    /// The names of an array's elements. Elements always stay in order.
    public enum Arrays: Sendable {
        /// `ids[]=1&ids[]=2`. Objects in arrays are ambiguous in this form, but not with ``index``.
        case brackets
        /// `ids=1&ids=2`.
        case `repeat`
        /// `ids[0]=1&ids[1]=2`.
        case index
        /// `ids=1,2` as one value, with percent-encoded commas. Elements must be scalars.
        case comma
        /// `ids=1,2` with bare commas between elements and encoded commas inside them. Elements must be scalars.
        case bareComma
        /// A closure that returns the name of an element from the array's name and the element's index.
        case custom(@Sendable (_ name: String, _ index: Int) -> String)
    }

    /// The names of an object's members.
    public enum Nesting: Sendable {
        /// `room[owner][name]`.
        case brackets
        /// `room.owner.name`.
        case dots
        /// A closure that returns the text after the object's name from the member's key.
        case custom(@Sendable (_ key: String) -> String)
    }

    /// The text of booleans.
    public enum Booleans: Sendable {
        /// `true` and `false`.
        case literal
        /// `1` and `0`.
        case numeric
    }

    /// The text of a null. A null in an array is never dropped but written empty, so that later elements keep their indexes.
    public enum Nulls: Sendable {
        /// The parameter is left out.
        case drop
        /// `key=`.
        case empty
        /// `key=null`.
        case literal
    }

    /// The text of an empty array or object.
    public enum EmptyCollections: Sendable {
        /// The array or object is left out.
        case drop
        /// `key=`.
        case keyOnly
    }

    /// The text of dates.
    public enum Dates: Sendable {
        /// `2001-01-01T00:02:03Z` or `2001-01-01T00:02:03.250Z`: UTC, with the fraction of the date, years 0001 to 9999 (RFC 3339 §5.6).
        case iso8601
        /// Seconds since 1970, with their fraction if there is one. A number in JSON.
        case seconds
        /// Whole milliseconds since 1970. A number in JSON.
        case milliseconds
        /// A closure that returns the text. An error that it throws fails the request.
        case formatted(@Sendable (Date) throws -> String)
    }

    /// The text of bytes.
    public enum Bytes: Sendable {
        /// Base 64 with padding (RFC 4648 §4).
        case base64
        /// Base 64 with the alphabet for addresses, without padding (RFC 4648 §5).
        case base64URL
        /// A closure that returns the text. An error that it throws fails the request.
        case formatted(@Sendable (Data) throws -> String)
    }

    /// The text of spaces. A plus sign in a parameter is always `%2B`.
    public enum Spaces: Sendable {
        /// `%20`.
        case percent
        /// `+`.
        case plus
    }

    /// The order of an object's members, at every depth.
    public enum Order: Sendable {
        /// The order in which they were added.
        case insertion
        /// The order of the keys as sent.
        case sorted
    }

    /// The text of `/` and `?`, which a query may contain unencoded (RFC 3986 §3.4).
    public enum Slashes: Sendable {
        /// `/` and `?`.
        case literal
        /// `%2F` and `%3F`.
        case percent
    }

    /// Creates the default style.
    public init() {}

    /// Creates the default style with changes: `ParameterStyle { $0.arrays = .repeat }`.
    public init(_ change: (inout ParameterStyle) -> Void) {
        change(&self)
    }

    /// The names of array elements; ``Arrays/brackets`` by default.
    public var arrays: Arrays = .brackets
    /// The names of members of nested objects; ``Nesting/brackets`` by default.
    public var nesting: Nesting = .brackets
    /// The text of booleans; ``Booleans/literal`` by default.
    public var booleans: Booleans = .literal
    /// The text of `.null`; ``Nulls/empty`` by default, because `.null` is written to send the key.
    public var nulls: Nulls = .empty
    /// The text of empty arrays and objects; ``EmptyCollections/drop`` by default.
    public var emptyCollections: EmptyCollections = .drop
    /// The text of dates; ``Dates/iso8601`` by default.
    public var dates: Dates = .iso8601
    /// The text of bytes; ``Bytes/base64`` by default.
    public var data: Bytes = .base64
    /// The text of spaces; ``Spaces/percent`` by default.
    public var spaces: Spaces = .percent
    /// The text of `/` and `?`; ``Slashes/literal`` by default.
    public var slashes: Slashes = .literal
    /// The case of keys; ``KeyCase/asIs`` by default.
    public var keyCase: KeyCase = .asIs
    /// The order of members; ``Order/insertion`` by default.
    public var order: Order = .insertion
}

extension ParameterStyle {
    /// Returns the members of an object with their keys cased and in the order of the style.
    func members(of object: Params) -> [Params.Member] {
        var members = object.members
        switch keyCase {
        case .asIs: break
        // Made into params again, because different keys may have become equal, and a key is sent once.
        default: members = Params(members.lazy.map { Params.Member(key: keyCase.apply(to: $0.key), node: $0.node) }).members
        }
        switch order {
        case .insertion: return members
        case .sorted: return members.sorted { $0.key < $1.key }
        }
    }
}

/// The case of a parameter's key, applied to each segment of a nested key.
public enum KeyCase: Sendable {
    /// Leaves the key unchanged.
    case asIs
    /// `myURLPath` becomes `my_url_path`.
    case snake
    /// `myURLPath` becomes `my-url-path`.
    case kebab
    /// `myURLPath` becomes `MyURLPath`.
    case capitalized
    /// `myURLPath` becomes `myurlpath`.
    case lower
    /// `myURLPath` becomes `MYURLPATH`.
    case upper
    /// A closure that returns the key to send.
    case custom(@Sendable (_ key: String) -> String)

    func apply(to key: String) -> String {
        switch self {
        case .asIs: key
        case .snake: Self.words(of: key, joinedBy: "_")
        case .kebab: Self.words(of: key, joinedBy: "-")
        case .capitalized: key.prefix(1).uppercased() + key.dropFirst()
        case .lower: key.lowercased()
        case .upper: key.uppercased()
        case .custom(let closure): closure(key)
        }
    }

    /// Splits a key into words. A word starts at a capital after another kind of character (`oneTwo`), and at the last capital of a run before a
    /// small letter (`HTTPServer` is `http_server`). So `ID` stays one word.
    private static func words(of key: String, joinedBy separator: Character) -> String {
        let characters = Array(key)
        var result = ""
        for (index, character) in characters.enumerated() {
            if character.isUppercase, index > 0 {
                let previous = characters[index - 1]
                let endsRun = previous.isUppercase && index + 1 < characters.count && characters[index + 1].isLowercase
                if previous.isLowercase || previous.isNumber || endsRun { result.append(separator) }
            }
            result += character.lowercased()
        }
        return result
    }
}

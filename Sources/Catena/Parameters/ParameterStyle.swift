public import Foundation

/// How parameters become text: one set of options for query strings, form bodies and multipart fields.
///
/// JSON and property-list bodies follow ``keyCase``; JSON also follows ``order``, ``dates`` and ``data``, and property lists
/// ``nulls``, because they have no null. The other options are about text only.
///
/// ```swift
/// var style = ParameterStyle()
/// style.arrays = .repeat
/// style.dates = .milliseconds
/// ```
public struct ParameterStyle: Sendable {
    /// How an array's elements are named. Whatever the style, elements stay in order.
    public enum Arrays: Sendable {
        /// `ids[]=1&ids[]=2`. Objects in arrays are ambiguous in this form; ``index`` keeps them apart.
        case brackets
        /// `ids=1&ids=2`.
        case `repeat`
        /// `ids[0]=1&ids[1]=2`.
        case index
        /// `ids=1,2` as one value, its commas percent-encoded like any other. Elements must be scalars.
        case comma
        /// `ids=1,2` with bare commas between elements and encoded ones inside them. Elements must be scalars.
        case bareComma
        /// The name of an element, from the array's name and the element's index.
        case custom(@Sendable (_ name: String, _ index: Int) -> String)
    }

    /// How the members of an object are named.
    public enum Nesting: Sendable {
        /// `room[owner][name]`.
        case brackets
        /// `room.owner.name`.
        case dots
        /// The text that follows the object's name, from the member's key.
        case custom(@Sendable (_ key: String) -> String)
    }

    /// How truth values are written.
    public enum Booleans: Sendable {
        /// `true` and `false`.
        case literal
        /// `1` and `0`.
        case numeric
    }

    /// What becomes of a null. A null in an array is never dropped but written empty, so that the elements after it keep their places.
    public enum Nulls: Sendable {
        /// The parameter is left out.
        case drop
        /// `key=`.
        case empty
        /// `key=null`.
        case literal
    }

    /// What becomes of an array or object with nothing in it.
    public enum EmptyCollections: Sendable {
        /// It is left out.
        case drop
        /// `key=`.
        case keyOnly
    }

    /// How points in time are written.
    public enum Dates: Sendable {
        /// `2001-01-01T00:02:03Z`: UTC, whole seconds rounded down, years 0001 to 9999 (RFC 3339 §5.6).
        case iso8601
        /// Seconds since 1970, with their fraction if there is one. A number in JSON.
        case seconds
        /// Whole milliseconds since 1970. A number in JSON.
        case milliseconds
        /// Text of the caller's making. What the closure throws fails the request.
        case formatted(@Sendable (Date) throws -> String)
    }

    /// How bytes are written.
    public enum Bytes: Sendable {
        /// Base 64 with padding (RFC 4648 §4).
        case base64
        /// The alphabet that is safe in addresses, without padding (RFC 4648 §5).
        case base64URL
        /// Text of the caller's making. What the closure throws fails the request.
        case formatted(@Sendable (Data) throws -> String)
    }

    /// How spaces are written. A plus sign in a parameter is `%2B` either way.
    public enum Spaces: Sendable {
        /// `%20`.
        case percent
        /// `+`.
        case plus
    }

    /// In which order the members of an object are written, at every depth.
    public enum Order: Sendable {
        /// As they were added.
        case insertion
        /// By key, as it is sent.
        case sorted
    }

    /// How `/` and `?` are written, which a query may hold as they are (RFC 3986 §3.4).
    public enum Slashes: Sendable {
        /// `/` and `?`.
        case literal
        /// `%2F` and `%3F`.
        case percent
    }

    /// Makes the style that every request starts with.
    public init() {}

    /// Makes that style with some changes: `ParameterStyle { $0.arrays = .repeat }`.
    public init(_ change: (inout ParameterStyle) -> Void) {
        change(&self)
    }

    /// How array elements are named; ``Arrays/brackets`` unless set.
    public var arrays: Arrays = .brackets
    /// How members of nested objects are named; ``Nesting/brackets`` unless set.
    public var nesting: Nesting = .brackets
    /// How truth values are written; ``Booleans/literal`` unless set.
    public var booleans: Booleans = .literal
    /// What becomes of `.null`; ``Nulls/empty`` unless set, since whoever writes `.null` wants the key to be seen.
    public var nulls: Nulls = .empty
    /// What becomes of empty arrays and objects; ``EmptyCollections/drop`` unless set.
    public var emptyCollections: EmptyCollections = .drop
    /// How dates are written; ``Dates/iso8601`` unless set.
    public var dates: Dates = .iso8601
    /// How bytes are written; ``Bytes/base64`` unless set.
    public var data: Bytes = .base64
    /// How spaces are written; ``Spaces/percent`` unless set.
    public var spaces: Spaces = .percent
    /// How `/` and `?` are written; ``Slashes/literal`` unless set.
    public var slashes: Slashes = .literal
    /// How the letters of keys are cased; ``KeyCase/asIs`` unless set.
    public var keyCase: KeyCase = .asIs
    /// In which order members are written; ``Order/insertion`` unless set.
    public var order: Order = .insertion
}

extension ParameterStyle {
    /// The members of an object as they are to be written: keys cased, in order.
    func members(of object: Params) -> [Params.Member] {
        var members = object.members
        switch keyCase {
        case .asIs: break
        // As params again, since keys that were different may have become the same, and a key is sent once.
        default: members = Params(members.lazy.map { Params.Member(key: keyCase.apply(to: $0.key), node: $0.node) }).members
        }
        switch order {
        case .insertion: return members
        case .sorted: return members.sorted { $0.key < $1.key }
        }
    }
}

/// How the letters of a parameter's key are cased, segment by segment where keys are nested.
public enum KeyCase: Sendable {
    /// As written.
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
    /// Text of the caller's making.
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

    /// A word starts at a capital that follows something else (`oneTwo`), and at the last capital of a run that goes on in small
    /// letters (`HTTPServer` is `http_server`), so that `ID` stays one word.
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

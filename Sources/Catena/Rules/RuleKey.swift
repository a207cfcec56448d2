/// A key of a rule in a file.
public enum RuleKey: String, Sendable, CaseIterable {
    /// A note: the name of a rule is the key under which it stands.
    case name = "Name"
    case base = "Base"
    case pathPrefix = "Path Prefix"
    case path = "Path"
    case method = "Method"
    case headers = "Headers"
    case parameters = "Parameters"
    case authorization = "Authorization"
    case serializer = "Serializer"
    case cachePolicy = "Cache Policy"
    /// In seconds.
    case expire = "Expire"
    case offlinePolicy = "Offline Policy"
    case responseSerializer = "Response Serializer"
    case responseType = "Response Type"
    case responseAcceptNull = "Response Accept Null"
    case responseClass = "Response Class"
    case userInfo = "User Info"
    case notes = "Notes"

    /// The key that somebody meant who wrote another one: the same but for case, spaces and the like.
    static func nearest(to text: String) -> RuleKey? {
        allCases.first { letters(of: $0.rawValue) == letters(of: text) }
    }

    private static func letters(of text: String) -> String {
        text.lowercased().filter(\.isLetter)
    }
}

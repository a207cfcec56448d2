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

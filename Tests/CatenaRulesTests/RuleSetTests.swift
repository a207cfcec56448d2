import CatenaTesting
import Foundation
import Testing

@testable import Catena
@testable import CatenaRules

struct Topic: Codable, Sendable, Equatable {
    let id: Int
}

@Suite("Rule files", .limitedParallelism) struct RuleSetTests {
    private static let registry: RuleRegistry = {
        var registry = RuleRegistry()
        registry.register(Topic.self)
        registry.register(serializer: "SignedForm", .form)
        return registry
    }()

    private static func faults(_ text: String) -> [String] {
        do throws(RuleFaults) {
            _ = try RuleSet(parsing: Data(text.utf8), registry: registry)
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }

    private static let whole = """
        { "Whole": {
            "Name": "a note", "Base": "https://example.com/api/", "Path Prefix": "v2/", "Path": "topics/{id}", "Method": "post",
            "Headers": { "X-App": "1", "Accept": "text/plain" }, "Parameters": { "size": 20, "a": { "z": null, "y": [1, true] } },
            "Authorization": true, "Serializer": "AFHTTPRequestSerializer",
            "Cache Policy": 3, "Expire": 1.5, "Offline Policy": 1,
            "Response Serializer": "AFJSONResponseSerializer", "Response Type": 3, "Response Accept Null": true, "Response Class": "Topic",
            "User Info": { "screen": "home" }, "Notes": "all of them" } }
        """

    private static let propertyList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>Whole</key><dict>
            <key>Name</key><string>a note</string>
            <key>Base</key><string>https://example.com/api/</string>
            <key>Path Prefix</key><string>v2/</string>
            <key>Path</key><string>topics/{id}</string>
            <key>Method</key><string>post</string>
            <key>Headers</key><dict><key>X-App</key><string>1</string><key>Accept</key><string>text/plain</string></dict>
            <key>Parameters</key><dict><key>size</key><integer>20</integer></dict>
            <key>Authorization</key><true/>
            <key>Serializer</key><string>AFHTTPRequestSerializer</string>
            <key>Cache Policy</key><integer>3</integer>
            <key>Expire</key><real>1.5</real>
            <key>Offline Policy</key><integer>1</integer>
            <key>Response Serializer</key><string>AFJSONResponseSerializer</string>
            <key>Response Type</key><integer>3</integer>
            <key>Response Accept Null</key><integer>1</integer>
            <key>Response Class</key><string>Topic</string>
            <key>User Info</key><dict><key>screen</key><string>home</string></dict>
            <key>Notes</key><string>all of them</string>
        </dict></dict></plist>
        """

    static let faultyDictionaries: [(any Sendable, String)] = [
        (
            ["TopicList": ["Expire": Date(timeIntervalSince1970: 0)]] as [String: [String: Date]],
            "TopicList.Expire: a date or bytes have no place in a rule"
        ),
        (["TopicList": ["Path": [Data()]]] as [String: [String: [Data]]], "TopicList.Path[0]: a date or bytes have no place in a rule"),
        (["TopicList": ["Path": 7]] as [String: [String: Int]], "TopicList.Path: wanted a string, but it is the number 7"),
        (["TopicList": ["Url": "x"]] as [String: [String: String]], "TopicList.Url: rules have no such key"),
        (
            ["TopicList": ["Path": ClosedRange(uncheckedBounds: (0, 1))]] as [String: [String: ClosedRange<Int>]],
            "TopicList.Path: it is a ClosedRange<Int>, which has no form as a param"
        ),
    ]

    @Test("a dictionary's faults are told with their paths, and the rules stay", arguments: faultyDictionaries.indices)
    func faultyDictionary(index: Int) throws {
        let (rules, expected) = Self.faultyDictionaries[index]
        let client = Client(transport: ClosureTransport { _ in .json("{}") })
        try client.rules.load(dictionary: ["Old": ["Path": "old"]])
        let faults = try #require(throws: RuleFaults.self) { try client.rules.load(dictionary: rules as? [String: Any] ?? [:]) }
        #expect(faults.faults.map(\.description) == [expected])
        #expect(client.rules.names == ["Old"])
    }

    @Test("all 18 keys are read, from JSON and from both forms of property lists", arguments: ["json", "xml", "binary"])
    func everyKey(form: String) throws {
        var data = Data((form == "json" ? Self.whole : Self.propertyList).utf8)
        if form == "binary" {
            let list = try PropertyListSerialization.propertyList(from: data, format: nil)
            data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        }
        let rule = try #require(try RuleSet(parsing: data, registry: Self.registry)["Whole"])
        #expect(RuleKey.allCases.count == 18)
        #expect(rule.name == "Whole")
        #expect(rule.base == "https://example.com/api/")
        #expect(rule.pathPrefix == "v2/")
        #expect(rule.path == "topics/{id}")
        #expect(rule.method == .post)
        #expect(rule.headers?["x-app"] == "1")
        #expect(rule.headers?["Accept"] == "text/plain")
        #expect(rule.params?["size"]?.parameterNode == .integer(20))
        #expect(rule.isAuthorized == true)
        #expect(rule.serializer == "AFHTTPRequestSerializer")
        #expect(rule.cachePolicy == .expire)
        #expect(rule.expire == .seconds(1.5))
        #expect(rule.offlinePolicy == .cached)
        #expect(rule.responseSerializer == "AFJSONResponseSerializer")
        #expect(rule.responseType == .objects)
        #expect(rule.acceptsNull == true)
        #expect(rule.responseClass == "Topic")
        #expect(rule.userInfo?.screen.string == "home")
        #expect(rule.notes == "all of them")
        if form == "json" { #expect(rule.params?.keys == ["size", "a"]) }
    }

    @Test("written rules are read back unchanged, as JSON and as a property list, and a copied rule is independent") func written() throws {
        let rule = try #require(try RuleSet(parsing: Data(Self.whole.utf8), registry: Self.registry)["Whole"])
        var copy = rule
        (copy.name, copy.path) = ("Copy", nil)
        var standard = Rule("any")
        standard.path = "d"
        let rules = RuleSet([rule, copy], standard: standard)
        let read = try RuleSet(parsing: try JSONEncoder().encode(rules), registry: Self.registry)
        #expect(read.names == ["Copy", "Whole"])
        #expect(read["Whole"]?.path == "topics/{id}" && read["Copy"]?.path == "d")
        #expect(try JSONEncoder().encode(read).count == JSONEncoder().encode(rules).count)
        #expect(read["Copy"]?.expire == .seconds(1.5) && read["Copy"]?.userInfo == rule.userInfo)
        // A decoder need not keep the order of an object's members.
        func sorted(_ rule: Rule?) -> [String]? { rule?.headers?.fields.map { "\($0.name): \($0.value)" }.sorted() }
        #expect(sorted(read["Copy"]) == sorted(rule))
        var plain = Rule("Plain")
        (plain.path, plain.isAuthorized, plain.responseType) = ("p", true, .objects)
        let list = try RuleSet(parsing: try PropertyListEncoder().encode(RuleSet([plain])))
        #expect(list["Plain"] == plain)
    }

    @Test("groups are flattened, and neither a group nor DEFAULT is a rule")
    func groups() throws {
        let set = try RuleSet(
            parsing: Data(#"{"@a": {"One": {"Path": "1"}, "Two": {}}, "DEFAULT": {"Path": "d"}, "Three": {}, "@empty": {}}"#.utf8))
        #expect(set.names == ["One", "Three", "Two"])
        #expect(set["One"]?.path == "1")
        #expect(set["Two"]?.path == "d")
        #expect(set["DEFAULT"] == nil)
        #expect(set["@a"] == nil)
    }

    @Test(
        "a key of a rule replaces the whole value of DEFAULT, and a missing key has the value of DEFAULT",
        arguments: [
            (#"{}"#, "https://d.test/ d GET X-D=1 size=20 true"),
            (#"{"Path": "own"}"#, "https://d.test/ own GET X-D=1 size=20 true"),
            (#"{"Base": "https://own.test"}"#, "https://own.test d GET X-D=1 size=20 true"),
            (#"{"Method": "PUT"}"#, "https://d.test/ d PUT X-D=1 size=20 true"),
            (#"{"Headers": {"X-Own": "2"}}"#, "https://d.test/ d GET X-Own=2 size=20 true"),
            (#"{"Headers": {}}"#, "https://d.test/ d GET  size=20 true"),
            (#"{"Parameters": {"page": 1}}"#, "https://d.test/ d GET X-D=1 page=1 true"),
            (#"{"Authorization": false}"#, "https://d.test/ d GET X-D=1 size=20 false"),
            (#"{"Authorization": 0}"#, "https://d.test/ d GET X-D=1 size=20 false"),
        ])
    func merging(own: String, expected: String) throws {
        let standard = """
            {"Base": "https://d.test/", "Path": "d", "Method": "GET", "Headers": {"X-D": "1"}, "Parameters": {"size": 20}, "Authorization": true}
            """
        let rule = try #require(try RuleSet(parsing: Data(#"{"DEFAULT": \#(standard), "R": \#(own)}"#.utf8))["R"])
        let headers = (rule.headers?.fields ?? []).map { "\($0.name)=\($0.value)" }.joined(separator: ",")
        let params = (rule.params?.members ?? []).map { "\($0.key)=\(JSON([$0.key: $0.node])[$0.key].text)" }.joined(separator: ",")
        let words = [rule.base, rule.path?.shown, rule.method?.name, headers, params, rule.isAuthorized.map { "\($0)" }]
        #expect(words.map { $0 ?? "nil" }.joined(separator: " ") == expected)
    }

    @Test(
        "a fault is reported with its path",
        arguments: [
            (#"[]"#, "wanted rules by their names, but it is an empty array"),
            (#"{"A": 1}"#, "A: wanted a rule, which is an object, but it is the number 1"),
            (#"{"@g": 1}"#, "@g: wanted a group of rules, which is an object, but it is the number 1"),
            (#"{"@g": {"A": {"Path": 1}}}"#, "@g.A.Path: wanted a string, but it is the number 1"),
            (#"{"DEFAULT": {"Path": null}}"#, "DEFAULT.Path: wanted a string, but it is null"),
            (#"{"A": {"Expire": "60"}}"#, "A.Expire: wanted a number of seconds, but it is the string \"60\""),
            (#"{"A": {"Expire": 1e300}}"#, "A.Expire: wanted a number of seconds, but it is the number 1e300"),
            (#"{"A": {"Expire": -1}}"#, "A.Expire: wanted a number of seconds, but it is the number -1"),
            (#"{"A": {"Authorization": "yes"}}"#, "A.Authorization: wanted true or false, but it is a string"),
            (#"{"A": {"Authorization": 2}}"#, "A.Authorization: wanted true or false, but it is a number"),
            (#"{"A": {"Cache Policy": 4}}"#, "A.Cache Policy: wanted one of the numbers 0, 1, 2, 3, 5, but it is the number 4"),
            (#"{"A": {"Response Type": 4}}"#, "A.Response Type: wanted one of the numbers 0, 1, 2, 3, but it is the number 4"),
            (#"{"A": {"Response Type": true}}"#, "A.Response Type: wanted one of the numbers 0, 1, 2, 3, but it is true"),
            (#"{"A": {"Offline Policy": 2}}"#, "A.Offline Policy: wanted one of the numbers 0, 1, but it is the number 2"),
            (#"{"A": {"Headers": {"X": 1}}}"#, "A.Headers.X: wanted a string, but it is the number 1"),
            (#"{"A": {"Headers": {"X Y": "1"}}}"#, "A.Headers.X Y: the name is not a token (RFC 9110 §5.1)"),
            (
                #"{"A": {"Headers": {"X": "1", "x": "2"}}}"#,
                "A.Headers.x: the header stands here twice; names do not differ by case (RFC 9110 §5.1)"
            ),
            (#"{"A": {"Parameters": [1]}}"#, "A.Parameters: wanted an object, but it is an array of 1"),
            (#"{"A": {"User Info": "x"}}"#, "A.User Info: wanted an object, but it is the string \"x\""),
            (#"{"A": {"Base": "ftp://x"}}"#, "A.Base: the scheme \"ftp\" is neither http nor https"),
            (#"{"A": {"Method": "G T"}}"#, "A.Method: the method is not a token (RFC 9110 §9.1)"),
            (#"{"A": {"path prefix": "x"}}"#, "A.path prefix: rules have no such key; is \"Path Prefix\" meant?"),
            (#"{"A": {"Color": 1}}"#, "A.Color: rules have no such key"),
            (#"{"A": {"Response Class": "User"}}"#, "A.Response Class: the string \"User\" is not registered; registered are Topic"),
            (#"{"A": {}, "@g": {"A": {}}}"#, "@g.A: the name is taken by A"),
            (#"{"@f": {"A": {}}, "@g": {"A": {}}}"#, "@g.A: the name is taken by @f.A"),
            (#"{"@g": {"@h": {}}}"#, "@g.@h: it belongs at the top of the file, not in a group"),
            (#"{"@g": {"DEFAULT": {}}}"#, "@g.DEFAULT: it belongs at the top of the file, not in a group"),
            (#"{"A": {}, "A": {}}"#, "A: the key stands here twice"),
            (#"{"@g": {"A": {"Path": "1", "Notes": "", "Path": "2"}}}"#, "@g.A.Path: the key stands here twice"),
            (#"{"A": {"Parameters": {"list": [{}, {"k": 1, "k": 2}]}}}"#, "A.Parameters.list.1.k: the key stands here twice"),
        ])
    func fault(text: String, expected: String) {
        #expect(Self.faults(text) == [expected])
    }

    @Test("the fault of an unknown serializer lists the registered ones", arguments: ["Serializer", "Response Serializer"])
    func unknownSerializer(key: String) {
        let faults = Self.faults(#"{"A": {"\#(key)": "MyClass"}}"#)
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("A.\(key): the string \"MyClass\" is not registered; registered are AF") == true)
    }

    @Test(
        "a file that is neither JSON nor a property list is reported with the place of the error",
        arguments: [("{", "line 1, column 2"), ("<plist>", "property list")])
    func syntax(text: String, words: String) {
        let faults = Self.faults(text)
        #expect(faults.count == 1)
        #expect(faults.first?.contains(words) == true, "\(faults)")
    }

    @Test("all faults are reported at once, in the order of the file")
    func allAtOnce() {
        let faults = Self.faults(#"{"A": {"Path": 1, "Colour": 2}, "@g": {"A": {"Expire": "60"}, "B": {"Headers": {"X": 1, "Y": 2}}}}"#)
        #expect(
            faults.map { $0.prefix { $0 != ":" } } == ["A.Path", "A.Colour", "@g.A", "@g.B.Headers.X", "@g.B.Headers.Y"])
    }

    @Test("a fault of a secret does not show its value")
    func secret() {
        let faults = Self.faults(#"{"A": {"Headers": {"Authorization": ["made-up"]}, "Authorization": "made-up"}}"#)
        #expect(faults.count == 2)
        #expect(!faults.joined().contains("made-up"))
    }

    @Test("the lint also reports rules without a path, and checks classes only against a given registry")
    func lint() {
        let data = Data(#"{"A": {"Response Class": "User"}, "B": {"Path": "b"}}"#.utf8)
        #expect(RuleLint.faults(in: data).map(\.description) == ["A: it has no \"Path\", and neither has \"DEFAULT\""])
        #expect(
            RuleLint.faults(in: data, registry: RuleRegistry()).map(\.description) == [
                "A.Response Class: the string \"User\" is not registered; nothing is"
            ])
        #expect(RuleLint.faults(in: Data(#"{"DEFAULT": {"Path": "d"}, "A": {}}"#.utf8)).isEmpty)
    }
}

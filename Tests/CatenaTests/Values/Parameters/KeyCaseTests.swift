import Testing

@testable import Catena

@Suite("Key case", .limitedParallelism)
struct KeyCaseTests {
    @Test(
        "a key is split at the start of each word",
        arguments: [
            ("oneTwoThree", "one_two_three"), ("_oneTwoThree_", "_one_two_three_"), ("myURLProperty", "my_url_property"), ("ID", "id"),
            ("userID", "user_id"), ("HTTPServer", "http_server"), ("item2Count", "item2_count"), ("already_snake", "already_snake"),
            ("a", "a"), ("", ""),
            ("éÉa", "é_éa"),
        ])
    func words(key: String, expected: String) {
        #expect(KeyCase.snake.apply(to: key) == expected)
        #expect(KeyCase.kebab.apply(to: key.replacing("_", with: "-")) == expected.replacing("_", with: "-"))
    }

    @Test(
        "the other key cases change only letters",
        arguments: [
            (KeyCase.asIs, "oneTwoThree"), (.capitalized, "OneTwoThree"), (.lower, "onetwothree"), (.upper, "ONETWOTHREE"),
            (.custom { _ in "A" }, "A"),
        ])
    func letters(keyCase: KeyCase, expected: String) {
        #expect(keyCase.apply(to: "oneTwoThree") == expected)
    }
}

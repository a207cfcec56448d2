import Testing

@testable import Catena

@Suite("RateLimit fields", .limitedParallelism)
struct RateLimitFieldsTests {
    @Test("only an exhausted limit makes a client wait, for the longest time of several")
    static func wellFormedRows() {
        each(
            [
                (#""default";r=0;t=30"#, 30), (#""default";r=50;t=30"#, nil), (#""a";r=5;t=90, "b";r=0;t=40"#, 40),
                (#""a";r=0;t=3,"b";r=0;t=40 , "c";r=0;t=9"#, 40), ("default;r=0;t=30", 30), (#""default";t=30;r=0"#, 30),
                (#""a,b;r=0;t=9";r=1;t=30"#, nil), (#""a,b;r=1;t=9";r=0;t=30"#, 30), (#""say \"r=0\";t=7";r=0;t=8"#, 8),
                (#""\\";r=0;t=8"#, 8),
                (#""a";r=0;t=30;pk=:cHsdsRa894==:"#, 30),
                (#""a";r=0;pk=:not,closed"#, nil), (#""a";r=0;t=30;w;x=?1;d=@1784111777;s="t=99""#, 30),
                (#""a"; r=0; t=30"#, 30), (#""a";r=9;r=0;t=1;t=30"#, 30), ("\t \"a\";r=0;t=30 \t", 30),
                ("limit=100, remaining=0, reset=50", 50), ("limit=100, remaining=3, reset=50", nil), ("limit=10, reset=50", 50),
                ("limit=10, remaining=0", nil), (#"limit=100;w=60, remaining=0, reset=50;comment="a, b""#, 50),
                ("reset=50, remaining=0", 50),
            ] as [(String, Int?)]
        ) { Self().wellFormed(text: $0, seconds: $1) }
    }

    func wellFormed(text: String, seconds: Int?) {
        #expect(RateLimitFields.wait(text, policies: nil) == seconds.map { .seconds($0) })
    }

    @Test("a malformed field is ignored")
    static func malformedRows() {
        each(
            [
                "", " ", ",", #""default"#, #""default";r=0;t"#, #""a";r=0;t="#, #""a";r=0;t=30,"#, #",  "a";r=0;t=30"#, #""a";r=0;;t=30"#,
                #""a";r=0;t=-30"#, #""a";r=-1;t=30"#, #""a";r=0;t=+30"#, #""a";r=0;t=1e3"#, #""a";r=0;t=0x1F"#, #""a";r=0;t=.5"#,
                #""a";r=0;t=30."#, #""a";r=0;t=1.2.3"#, #""a";r=0;t=99999999999999999"#, #""a";r=0;t="30""#, #""a";r="0";t=30"#,
                #""a";r=?0;t=30"#, #""a\x";r=0;t=30"#, #""a" "b";r=0;t=30"#, #"("a" "b");r=0;t=30"#, #""é";r=0;t=30"#, "\"a\n\";r=0;t=30",
                #""a";r=0;t=nan"#, #""a";r=0;t=inf"#, #""a" r=0 t=30"#, "r=0;t=30", "=0", "limit", "reset=", "reset=soon", "reset=-4",
                "0;r=0;t=30", #""a";r=0;t=30 garbage"#, "limit=100 remaining=0 reset=50", String(repeating: "\"", count: 10_001),
            ] as [String]
        ) { Self().malformed(text: $0) }
    }

    func malformed(text: String) {
        #expect(RateLimitFields.wait(text, policies: nil) == nil)
    }

    @Test(
        "a limit without a reset time is reset after the window of its policy",
        arguments: [
            (#""a";r=0"#, #""a";q=100;w=60"#, 60), (#""a";r=0"#, #""b";q=100;w=60"#, nil), (#""a";r=0;t=5"#, #""a";q=100;w=60"#, 5),
            (#""a";r=0, "b";r=0"#, #""a";q=1;w=1,"b";q=100;w=60"#, 60), (#""a";r=3"#, #""a";q=100;w=60"#, nil),
            (#""a";r=0"#, #""a";q=100"#, nil), (#""a";r=0"#, #""a";w="#, nil), (#""a";r=0"#, "", nil), (#""a";r=0"#, "100;w=60", nil),
        ] as [(String, String, Int?)])
    func policies(text: String, policies: String, seconds: Int?) {
        #expect(RateLimitFields.wait(text, policies: policies) == seconds.map { .seconds($0) })
    }

    @Test("a field with thousands of limits is parsed")
    func long() {
        let buckets = (0..<4_000).map { "\"bucket \($0)\";r=\($0 % 2);t=\($0)" }.joined(separator: ", ")
        #expect(RateLimitFields.wait(buckets, policies: buckets) == .seconds(3_998))
    }
}

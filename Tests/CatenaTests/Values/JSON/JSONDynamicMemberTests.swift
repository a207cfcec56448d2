// Not @testable, so that members resolve as in another module.
import Catena
import Foundation
import Testing

@Suite("JSON, dynamic members", .limitedParallelism)
struct JSONDynamicMemberTests {
    private let value: JSON = [
        "count": 1, "data": 2, "description": 3, "first": 4, "keys": 5, "value": 6, "storage": 7, "isEmpty": 8, "hashValue": 9,
        "members": 10, "nullValue": 11, "debugDescription": 12, "number": 13,
        "string": 14, "int": 15, "isNull": 16,
    ]

    @Test("keys such as count and description are dynamic members")
    func reservedLooking() {
        #expect(value.count.int == 1)
        #expect(value.data.int == 2)
        #expect(value.description.int == 3)
        #expect(value.first.int == 4)
        #expect(value.keys.int == 5)
        #expect(value.value.int == 6)
        #expect(value.storage.int == 7)
        #expect(value.isEmpty.int == 8)
        #expect(value.hashValue.int == 9)
        #expect(value.members.int == 10)
        #expect(value.nullValue.int == 11)
        #expect(value.debugDescription.int == 12)
        #expect(value.number.int == 13)
    }

    @Test("a key that is an accessor's name is reached by subscript")
    func accessorNames() {
        #expect(value["string"].int == 14)
        #expect(value["int"].int == 15)
        #expect(value["isNull"].int == 16)
    }

    @Test("members, elements and keys chain")
    func chain() {
        let answer: JSON = ["users": [["name": "Ann"], ["name": nil]], "a b": ["c": [1, [2, 3]]]]
        #expect(answer.users[0].name.string == "Ann")
        #expect(answer.users[1].name.isNull)
        #expect(answer["a b"].c[1][1].int == 3)
    }

    @Test("a member or element that is absent or of another type is null, at any depth")
    func absent() {
        let answer: JSON = ["users": [1], "name": "x"]
        #expect(answer.nothing.isNull)
        #expect(answer.nothing[3].at.all.isNull)
        #expect(answer.users[1].isNull)
        #expect(answer.users[-1].isNull)
        #expect(answer.users[Int.min].isNull)
        #expect(answer.users[Int.max].isNull)
        #expect(answer.users.name.isNull)
        #expect(answer.name[0].isNull)
        #expect(answer[0].isNull)
    }

}

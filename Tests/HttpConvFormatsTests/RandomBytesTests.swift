import HttpConvPlatform
import Testing

struct RandomBytesTests {
    @Test(arguments: [0, 1, 6, 8, 16, 24, 33]) func thereAreAsManyAsAsked(count: Int) {
        #expect(RandomBytes.make(count).count == count)
    }

    @Test func theyDiffer() {
        #expect(Set((0..<100).map { _ in RandomBytes.make(16) }).count == 100)
    }
}

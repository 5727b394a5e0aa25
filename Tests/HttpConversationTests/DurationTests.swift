import HttpConvConcurrency
import Testing

@Suite struct DurationTests {
    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(2), 2), (.microseconds(2001), 3), (.seconds(61), 61_000),
            (.nanoseconds(-1), 0), (.microseconds(-2001), -2), (.seconds(-61), -61_000),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
        ] as [(Duration, Int64)])
    func wholeMilliseconds(duration: Duration, milliseconds: Int64) {
        #expect(duration.wholeMilliseconds == milliseconds)
    }
}

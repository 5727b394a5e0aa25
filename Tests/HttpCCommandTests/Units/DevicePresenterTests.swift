import Testing

@testable import HttpCClient
@testable import HttpCTerminal

@Suite struct DevicePresenterTests {
    private static let style = TerminalStyle(isColoured: false)

    private static let addresses = ["https://idp.example/device?user_code=WDJB-MJHT", "https://idp.example/device"]

    /// If the code does not fit, none is shown, not even for the shorter address.
    @Test(
        arguments: [
            (80, 24, true, true), (40, 24, true, true), (30, 24, true, false), (80, 15, true, false),
            (80, 24, false, false), (80, 60, false, true), (60, 60, false, false), (200, .max, false, true),
        ] as [(Int, Int, Bool, Bool)])
    func fits(columns: Int, rows: Int, isUnicode: Bool, isShown: Bool) {
        let size = TerminalSize(columns: columns, rows: rows)
        let code = DevicePresenter.code(Self.addresses, Self.style, size, isUnicode: isUnicode)
        #expect(code.isEmpty != isShown)
        #expect(code.allSatisfy { $0.count <= columns && (isUnicode || $0.utf8.allSatisfy { $0 < 0x80 }) })
    }
}

import Foundation
import ODataOnline
import Testing

@testable import HttpCCommand

@Suite struct ODataTextTests {
    /// Bytes in the notation of the version (OData JSON 4.01 §7.1), so that the output can be sent again.
    @Test(arguments: [(ODataVersion.v2, "+/8="), (.v4, "-_8=")])
    func bytes(version: ODataVersion, text: String) {
        let bytes = ODataValue.binary(Data([0xFB, 0xFF]))
        let row: ODataRow = ["P": bytes, "All": .collection([bytes]), "Size": .complex(["P": bytes])]
        #expect(
            ODataText.json(row, version) == "{\"P\":\"\(text)\",\"All\":[\"\(text)\"],\"Size\":{\"P\":\"\(text)\"}}")
    }
}

import com.google.zxing.BarcodeFormat;
import com.google.zxing.Result;
import com.google.zxing.client.result.ResultParser;

/** Parses the texts of scanned codes, which are addresses with many colons. */
final class ZxingUris {
    private static final int CODES = 40;

    public static void main(String[] args) throws Exception {
        String text = "https://example.org/" + "a:".repeat(2000);
        int length = 0;
        for (int i = 0; i < CODES; i++) {
            Result code = new Result(text + i, null, null, BarcodeFormat.QR_CODE);
            length += ResultParser.parseResult(code).getDisplayResult().length();
        }
        Use.print(length);
    }
}

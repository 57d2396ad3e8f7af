window.dispatchEvent(new Event("evalnb-table"));
